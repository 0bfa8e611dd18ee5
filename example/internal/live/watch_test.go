package live

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// A fakeEtcd sends what its streams say, one after another, and lists what is there at the end.
type fakeEtcd struct {
	mu      sync.Mutex
	streams [][]string
	asked   []int64

	first, last string
	watched     bool
}

// ServeHTTP as etcd's gateway.
func (f *fakeEtcd) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Create keyRange `json:"create_request"` //nolint:tagliatelle // As etcd has it.
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}

	f.mu.Lock()

	var lines []string

	switch {
	case r.URL.Path == "/v3/kv/range" && !f.watched:
		lines, f.watched = []string{f.first}, true
	case r.URL.Path == "/v3/kv/range":
		lines = []string{f.last}
	case len(f.streams) > 0:
		f.asked = append(f.asked, in.Create.StartRevision)
		lines, f.streams = f.streams[0], f.streams[1:]
	default:
		f.mu.Unlock()
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done() // Nothing is written any more.

		return
	}

	f.mu.Unlock()

	for _, line := range lines {
		_, _ = fmt.Fprintln(w, line)
	}
}

// written is an event: b was written for the given time at a revision.
func written(times, revision int, state string) string {
	return fmt.Sprintf(`{"result":{"events":[{"kv":%s}]}}`, value(times, revision, state))
}

func value(times, revision int, state string) string {
	object := fmt.Sprintf(`{"kind":"Bucket","metadata":{"name":"b","managedFields":[{"manager":"m%d"}]},"state":%q}`, times, state)
	encode := base64.StdEncoding.EncodeToString

	return fmt.Sprintf(`{"key":%q,"value":%q,"version":"%d","mod_revision":"%d"}`,
		encode([]byte("/registry/g/buckets/default/b")), encode([]byte(object)), times, revision)
}

func TestWatcher(t *testing.T) {
	const gone = `{"result":{"events":[{"type":"DELETE","kv":{"key":"L3JlZ2lzdHJ5L2cvYnVja2V0cy9kZWZhdWx0L2I=","mod_revision":"14"}}]}}`

	empty := `{"header":{"revision":"10"}}`
	list := func(kv string) string { return `{"header":{"revision":"20"},"kvs":[` + kv + `]}` }

	cases := map[string]struct {
		reason      string
		first, last string
		streams     [][]string
		want        []string // Tags before and after each write.
		asked       []int64  // The revisions that etcd was asked for.
		says        string   // What the error says, if there is one.
	}{
		"Order": {
			reason: "Every write is seen, in its order, and from the revision after the list on.",
			first:  list(value(1, 5, "a")), last: list(value(3, 12, "c")),
			streams: [][]string{{`{"result":{"created":true}}`, written(2, 21, "b"), written(3, 22, "c")}},
			want:    []string{"a→b", "b→c"},
			asked:   []int64{21},
		},
		"Again": {
			reason: "A connection that is lost is made again from the last write on.",
			first:  empty, last: list(value(3, 13, "c")),
			streams: [][]string{{written(1, 11, "a")}, {}, {written(2, 12, "b"), written(3, 13, "c")}},
			want:    []string{"→a", "a→b", "b→c"},
			asked:   []int64{11, 12, 12},
		},
		"Gone": {
			reason: "An object that goes and is made again is counted anew.",
			first:  empty, last: list(value(1, 15, "c")),
			streams: [][]string{{written(1, 11, "a"), gone, written(1, 15, "c")}},
			want:    []string{"→a", "a→", "→c"},
			asked:   []int64{11},
		},
		"Missed": {
			reason: "A write that wasn't seen is an error, and said.",
			first:  empty, last: list(value(3, 13, "c")),
			streams: [][]string{{written(1, 11, "a"), written(3, 13, "c")}},
			want:    []string{"→a"},
			asked:   []int64{11},
			says:    "1 writes were missed",
		},
		"Compacted": {
			reason: "What etcd has forgotten is an error, and said.",
			first:  empty, last: list(value(3, 13, "c")),
			streams: [][]string{{written(1, 11, "a")}, {`{"result":{"canceled":true,"compact_revision":"13"}}`}},
			want:    []string{"→a"},
			asked:   []int64{11, 12},
			says:    "not all writes of /registry/g/buckets/ were seen: etcd has forgotten writes from revision 12 to 13",
		},
		"Objection": {
			reason: "What the invariant objects to is an error.",
			first:  empty, last: list(value(2, 12, "bad")),
			streams: [][]string{{written(1, 11, "a"), written(2, 12, "bad")}},
			want:    []string{"→a", "a→bad"},
			asked:   []int64{11},
			says:    "write 2 of /registry/g/buckets/default/b, which is revision 12: it is bad",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := &fakeEtcd{first: tc.first, last: tc.last, streams: tc.streams}

			srv := httptest.NewServer(f)
			defer srv.Close()

			var got []string

			state := func(o *unstructured.Unstructured) string {
				if o == nil {
					return ""
				}

				return Field[string](o, "state")
			}

			w := &Watcher{prefixes: []string{"/registry/g/buckets/"}, histories: make(map[string]*History), etcd: etcd{url: srv.URL, client: srv.Client()}, check: func(before, after *unstructured.Unstructured) error {
				got = append(got, state(before)+"→"+state(after))
				if state(after) == "bad" {
					return errors.New("it is bad")
				}

				return nil
			}}

			if err := w.start(t.Context()); err != nil {
				t.Fatal(err)
			}

			err := w.Err(t.Context())
			if (err == nil) != (tc.says == "") || err != nil && !strings.Contains(err.Error(), tc.says) {
				t.Errorf("\n%s\nErr(): want %q, got %v", tc.reason, tc.says, err)
			}

			w.Stop()

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nwrites: -want, +got:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(tc.asked, f.asked[:len(tc.streams)]); diff != "" {
				t.Errorf("\n%s\nrevisions since which etcd was asked: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
