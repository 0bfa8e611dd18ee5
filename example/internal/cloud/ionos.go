package cloud

import (
	"encoding/xml"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const ionosBase = "/cloudapi/v6"

// ionosPath matches the path of an earlier request, or of servers or volumes of a datacenter: the kind, the id of one, a part of it
// (volumes or labels), and the key of a label. A server's volume has the server's id.
var ionosPath = regexp.MustCompile("^" + ionosBase +
	`/(?:requests/1/status|datacenters/[^/]+/(servers|volumes)(?:/([^/]+))?(?:/(volumes|labels)(?:/(.+))?)?)$`)

// ionosServer is what all servers say, unless they were made with something else.
var ionosServer = object{"type": "ENTERPRISE", "hostname": "server", "availabilityZone": "AUTO", "vmState": "RUNNING"}

// IONOS returns an IONOS Cloud of servers and buckets. Each id of a datacenter is known: see
// api.ionos.com/docs/cloud/v6, and api.ionos.com/docs/s3-user-owned-buckets/v2.
func IONOS() *Cloud { return newCloud(ionos) }

func ionos(c *Cloud, in *call) reply {
	if !strings.HasPrefix(in.path, ionosBase) {
		return c.bucket(in, strings.Trim(in.path, "/"))
	}

	at := ionosPath.FindStringSubmatch(in.path)
	if at == nil {
		return ionosRefuses(http.StatusNotFound, "no such path: "+in.path)
	}

	kind, id, part, key := at[1], at[2], at[3], at[4]
	name := c.named(id)
	server := c.resources[name]

	switch {
	case kind == "":
		return found(object{"metadata": object{"status": "DONE"}})
	case id == "" && in.action == http.MethodPost:
		return c.makeServer(in)
	case server == nil:
		return ionosRefuses(http.StatusNotFound, "Resource does not exist")
	case part == "labels":
		return server.label(in, key)
	case in.action == http.MethodGet && part == "volumes":
		return found(volumesIn(server.says)[0])
	case in.action == http.MethodDelete && kind == "servers":
		delete(c.resources, name)
	case in.action == http.MethodPatch && kind == "servers":
		properties, _ := server.says["properties"].(object)
		maps.Copy(properties, in.body)
	}

	if in.action == http.MethodGet {
		return found(server.says)
	}

	return ionosAccepts(in, server.says)
}

func (c *Cloud) makeServer(in *call) reply {
	c.made++
	id := fmt.Sprintf("00000000-0000-0000-0000-%012d", c.made)

	properties := maps.Clone(ionosServer)
	given, _ := in.body["properties"].(object)
	maps.Copy(properties, given)

	volumes := volumesIn(in.body)
	for _, volume := range volumes {
		volume, _ := volume.(object)
		volume["id"] = id
	}

	says := object{"id": id, "properties": properties, "entities": object{
		"nics": object{"items": array{}}, "volumes": object{"items": volumes},
	}}

	name, _ := properties["name"].(string)
	c.resources[name] = &resource{tags: Tags{}, says: says}

	return ionosAccepts(in, says)
}

// volumesIn what a server says, or is made with.
func volumesIn(server object) array {
	out, _, _ := unstructured.NestedSlice(server, "entities", "volumes", "items") // One without volumes has none.
	return out
}

// label a server, or say which labels it has. There is none twice, and a value that changes is another label.
func (r *resource) label(in *call, key string) reply {
	switch _, has := r.tags[key]; {
	case in.action == http.MethodPost:
		key, _, _ := unstructured.NestedString(in.body, "properties", "key")
		if _, has := r.tags[key]; has || key == "" {
			return ionosRefuses(http.StatusUnprocessableEntity, "the label key "+key+" is invalid, or there already")
		}

		r.tags[key], _, _ = unstructured.NestedString(in.body, "properties", "value")

		return reply{status: http.StatusCreated, body: r.labelAt(key)}
	case key == "":
		items := array{}
		for _, key := range slices.Sorted(maps.Keys(r.tags)) {
			items = append(items, r.labelAt(key))
		}

		return found(object{"items": items})
	case !has:
		return ionosRefuses(http.StatusNotFound, "Resource does not exist")
	case in.action == http.MethodDelete:
		delete(r.tags, key)
		return reply{status: http.StatusOK}
	default:
		return found(r.labelAt(key))
	}
}

func (r *resource) labelAt(key string) object {
	return object{"id": key, "type": "label", "properties": object{"key": key, "value": r.tags[key]}}
}

// ionosAccepts accepts a call. Its header Location has the address at which the caller asks whether the work is done.
func ionosAccepts(in *call, body any) reply {
	return reply{status: http.StatusAccepted, body: body, header: map[string]string{"Location": "http://" + in.host + ionosBase + "/requests/1/status"}}
}

func ionosRefuses(status int, message string) reply {
	return reply{status: status, body: object{"httpStatus": status, "messages": array{object{"errorCode": "0", "message": message}}}}
}

// s3Tags are the tags of a bucket in XML.
type s3Tags struct {
	XMLName xml.Name `xml:"Tagging"`
	Tags    []s3Tag  `xml:"TagSet>Tag"`
}

type s3Tag struct {
	Key   string `xml:"Key"`
	Value string `xml:"Value"`
}

// bucket is what is called at the path of a bucket, which has no lock. One without tags has no set of tags.
func (c *Cloud) bucket(in *call, name string) reply {
	b, tagging := c.resources[name], in.query.Has("tagging")

	switch {
	case b == nil && in.action == http.MethodPut && !tagging:
		c.resources[name] = &resource{tags: Tags{}}
	case b == nil || in.query.Has("object-lock"):
		return reply{status: http.StatusNotFound}
	case in.query.Has("location"):
		return ofXML("<LocationConstraint>eu-central-3</LocationConstraint>")
	case tagging && in.action == http.MethodGet:
		return b.tagSet()
	case tagging:
		var given s3Tags
		if err := xml.Unmarshal(in.xml, &given); err != nil && in.action == http.MethodPut {
			return reply{status: http.StatusBadRequest, body: err.Error()}
		}

		b.tags = Tags{}
		for _, tag := range given.Tags {
			b.tags[tag.Key] = tag.Value
		}
	case in.action == http.MethodDelete:
		delete(c.resources, name)
	}

	return reply{status: http.StatusOK}
}

func (r *resource) tagSet() reply {
	if len(r.tags) == 0 {
		return reply{status: http.StatusNotFound}
	}

	var set s3Tags
	for key, value := range r.tags {
		set.Tags = append(set.Tags, s3Tag{key, value})
	}

	text, err := xml.Marshal(set)
	if err != nil {
		return reply{status: http.StatusInternalServerError, body: err.Error()}
	}

	return ofXML(string(text))
}

func ofXML(text string) reply {
	return reply{status: http.StatusOK, body: text, header: map[string]string{"Content-Type": "application/xml"}}
}
