// Package cloud stands in for clouds. Each serves as much of an API as controllers of a few kinds call. Tests read tags
// there, and change them as somebody else does.
package cloud

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Tags of a resource.
type Tags = map[string]string

type (
	object = map[string]any
	array  = []any
)

// A Cloud has resources with tags, by their names. No two resources have one name, not even of two kinds. It is served over HTTP.
type Cloud struct {
	answer func(*Cloud, *call) reply

	mu        sync.Mutex
	resources map[string]*resource
	made      int
	reads     int
	writes    []string
}

// A resource has tags, and all other fields that the API shows.
type resource struct {
	tags Tags
	says object
}

// A call of an API.
type call struct {
	// action is the method, or what AWS calls so.
	action string

	host  string
	path  string
	query url.Values
	body  object

	// xml is a body that is not JSON.
	xml []byte
}

// A reply to a call.
type reply struct {
	status int
	body   any
	header map[string]string
}

// looks are the actions that change nothing.
var looks = regexp.MustCompile("^(GET|HEAD|Get|List|Describe)")

func newCloud(answer func(*Cloud, *call) reply) *Cloud {
	return &Cloud{answer: answer, resources: make(map[string]*resource)}
}

// Names of the resources that there are.
func (c *Cloud) Names() []string {
	c.mu.Lock()
	defer c.mu.Unlock()

	return slices.Sorted(maps.Keys(c.resources))
}

// Tags of a resource. There are none if it isn't there.
func (c *Cloud) Tags(name string) Tags {
	c.mu.Lock()
	defer c.mu.Unlock()

	if r := c.resources[name]; r != nil {
		return maps.Clone(r.tags)
	}

	return nil
}

// Edit the tags of all resources, as somebody does who knows nothing of controllers.
func (c *Cloud) Edit(edit func(Tags)) {
	c.mu.Lock()
	defer c.mu.Unlock()

	for _, r := range c.resources {
		edit(r.tags)
	}
}

// Writes are the calls that were there to change something: when they came, who called, what, and what the answer was.
func (c *Cloud) Writes() []string {
	c.mu.Lock()
	defer c.mu.Unlock()

	return slices.Clone(c.writes)
}

// Reads is how many calls changed nothing.
func (c *Cloud) Reads() int {
	c.mu.Lock()
	defer c.mu.Unlock()

	return c.reads
}

// ServeHTTP serves the cloud's API.
func (c *Cloud) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}

	in := &call{action: r.Method, host: r.Host, path: r.URL.Path, query: r.URL.Query()}
	if _, action, ok := strings.Cut(r.Header.Get("X-Amz-Target"), "."); ok {
		in.action = action
	}

	// AWS has older APIs, whose calls are forms.
	if form, err := url.ParseQuery(string(text)); err == nil && form.Has("Action") {
		in.action = form.Get("Action")
	} else if bytes.HasPrefix(text, []byte("<")) {
		in.xml = text
	} else if len(text) > 0 {
		if err := json.Unmarshal(text, &in.body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
	}

	c.mu.Lock()
	defer c.mu.Unlock()

	out := c.answer(c, in)

	if looks.MatchString(in.action) {
		c.reads++
	} else {
		who, _, _ := strings.Cut(r.UserAgent(), " ")
		c.writes = append(c.writes, fmt.Sprintf("%s %s: %s %s %s: %d", time.Now().Format(time.TimeOnly), who, in.action, in.path, bytes.TrimSpace(text), out.status))
	}

	write(w, out)
}

// write a reply, whose body is JSON unless it is text.
func write(w http.ResponseWriter, out reply) {
	for key, value := range out.header {
		w.Header().Set(key, value)
	}

	text, isText := out.body.(string)
	if !isText && out.body != nil {
		w.Header().Set("Content-Type", "application/json")

		encoded, err := json.Marshal(out.body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}

		text = string(encoded)
	}

	w.WriteHeader(out.status)
	_, _ = io.WriteString(w, text) // Who has gone needs no answer.
}

// named is the name of the resource with an id, if there is one.
func (c *Cloud) named(id string) string {
	for name, r := range c.resources {
		if fmt.Sprint(r.says["id"]) == id {
			return name
		}
	}

	return ""
}

// text of a field of a call's body, or nothing.
func (in *call) text(field string) string {
	out, _ := in.body[field].(string)
	return out
}

// tagsIn returns the tags in a map of a call's body.
func tagsIn(body any) Tags {
	out := Tags{}

	fields, _ := body.(object)
	for key, value := range fields {
		out[key], _ = value.(string)
	}

	return out
}
