package cloud

import (
	"maps"
	"net/http"
	"regexp"
	"strings"
)

// A hetznerKind has fields that all resources of a kind have, beside the fields that they were made with. The answer to
// the call that makes one has more fields beside the resource.
type hetznerKind struct {
	one    string
	says   object
	beside object
}

// hetznerKinds by their paths: see docs.hetzner.cloud/reference/cloud.
var hetznerKinds = map[string]hetznerKind{
	"networks": {one: "network", says: object{
		"subnets": array{}, "routes": array{}, "servers": array{}, "load_balancers": array{},
		"protection": object{"delete": false}, "expose_routes_to_vswitch": false,
	}},
	"firewalls":        {one: "firewall", says: object{"rules": array{}, "applied_to": array{}}, beside: object{"actions": array{}}},
	"placement_groups": {one: "placement_group", says: object{"servers": array{}}, beside: object{"action": nil}},
}

// Keys and values of labels: see docs.hetzner.cloud/reference/cloud#labels.
var (
	hetznerName   = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$`)
	hetznerPrefix = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$`)
)

// Hetzner is a Hetzner Cloud of networks, firewalls and placement groups.
func Hetzner() *Cloud { return newCloud(hetzner) }

func hetzner(c *Cloud, in *call) reply {
	path, id, _ := strings.Cut(strings.TrimPrefix(in.path, "/v1/"), "/")

	kind, known := hetznerKinds[path]
	if !known {
		return hetznerRefuses(http.StatusNotFound, "not_found", "no such path: "+in.path)
	}

	resources := hetznerResources{Cloud: c, kind: kind}

	labels, given := in.body["labels"]
	if refused := hetznerObjection(tagsIn(labels)); refused != "" {
		return hetznerRefuses(http.StatusUnprocessableEntity, "invalid_input", refused)
	}

	switch name := resources.named(id); {
	case id != "" && name == "":
		return hetznerRefuses(http.StatusNotFound, "not_found", kind.one+" not found")
	case in.action == http.MethodPost:
		return resources.make(in, tagsIn(labels))
	case in.action == http.MethodPut:
		if given {
			c.resources[name].tags = tagsIn(labels)
		}

		return reply{status: http.StatusOK, body: object{kind.one: resources.says(name)}}
	case in.action == http.MethodDelete:
		delete(c.resources, name)
		return reply{status: http.StatusNoContent}
	case id != "":
		return reply{status: http.StatusOK, body: object{kind.one: resources.says(name)}}
	default:
		list := array{}
		if name := in.query.Get("name"); c.resources[name] != nil {
			list = append(list, resources.says(name))
		}

		return reply{status: http.StatusOK, body: object{path: list, "meta": object{"pagination": object{
			"page": 1, "per_page": 50, "previous_page": nil, "next_page": nil, "last_page": 1, "total_entries": len(list),
		}}}}
	}
}

// hetznerResources are all resources of one kind.
type hetznerResources struct {
	*Cloud

	kind hetznerKind
}

// says returns the API's fields of a resource.
func (h hetznerResources) says(name string) object {
	out := maps.Clone(h.resources[name].says)
	out["labels"] = h.resources[name].tags

	return out
}

func (h hetznerResources) make(in *call, labels Tags) reply {
	name := in.text("name")
	if h.resources[name] != nil {
		return hetznerRefuses(http.StatusConflict, "uniqueness_error", name+" is there already")
	}

	h.made++

	says := maps.Clone(h.kind.says)
	maps.Copy(says, in.body)
	maps.Copy(says, object{"id": h.made, "created": "2026-01-01T00:00:00Z"})
	h.resources[name] = &resource{tags: labels, says: says}

	out := object{h.kind.one: h.says(name)}
	maps.Copy(out, h.kind.beside)

	return reply{status: http.StatusCreated, body: out}
}

// hetznerObjection to labels, or nothing.
func hetznerObjection(labels Tags) string {
	for key, value := range labels {
		prefix, name, prefixed := strings.Cut(key, "/")
		if !prefixed {
			prefix, name = "", key
		}

		if !hetznerName.MatchString(name) || prefixed && (!hetznerPrefix.MatchString(prefix) || len(prefix) > 253) || prefix == "hetzner.cloud" {
			return "the label key " + key + " is invalid"
		}

		if value != "" && !hetznerName.MatchString(value) {
			return "the label value " + value + " is invalid"
		}
	}

	return ""
}

func hetznerRefuses(status int, code, message string) reply {
	return reply{status: status, body: object{"error": object{"code": code, "message": message}}}
}
