package awspolicy

import (
	_ "embed" // For the types.
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A serviceKind is a kind of a service, such as ec2/Instance, or all kinds of the service if it has no kind. The service is the first part
// of API groups, such as ec2.aws.upbound.io.
type serviceKind struct{ service, kind string }

// typesText has the kinds of resource types whose names differ, such as apigateway:restapis/stages apigateway/Stage.
//
//go:embed types.txt
var typesText string

// listed has the kinds of types.txt, by resource type and by service.
var listed = func() map[string][]serviceKind {
	out := make(map[string][]serviceKind)

	for line := range strings.Lines(typesText) {
		if columns := strings.Fields(line); len(columns) > 0 && columns[0] != "#" {
			out[columns[0]] = words.Map(columns[1:], func(text string) serviceKind {
				service, kind, _ := strings.Cut(text, "/")
				return serviceKind{service, kind}
			})
		}
	}

	return out
}()

// taggable returns the kinds of AWS with tags in the built-in index, each with patterns of its API versions, such as ec2.aws.*/*. Patterns
// can repeat.
var taggable = sync.OnceValue(func() map[serviceKind][]string {
	out := make(map[serviceKind][]string)

	for gvk, e := range field.BuiltIn().All() {
		service, domain, _ := strings.Cut(gvk.Group, ".")
		isACK := domain == "services.k8s.aws"

		if !isACK && !strings.HasPrefix(domain, "aws.") || !hasTags(e) {
			continue
		}

		pattern := service + ".aws.*/*" // All other providers, namespaced or not.
		if isACK {
			pattern = gvk.Group + "/*"
		}

		for _, p := range []serviceKind{{service, gvk.Kind}, {service: service}} {
			out[p] = append(out[p], pattern)
		}
	}

	return out
})

// hasTags reports whether the kind has a tag field in any release.
func hasTags(e field.Variants) bool {
	return slices.ContainsFunc(e, func(h field.Variant) bool { return h.Field.Shape != field.None })
}

// kindsOf returns the kinds of a resource type, such as ec2:instance or ec2:ALL_SUPPORTED.
func kindsOf(resourceType string) []serviceKind {
	service, resource, _ := strings.Cut(strings.Replace(resourceType, ":ALL_SUPPORTED", ":*", 1), ":")

	if kinds, ok := listed[service+":"+resource]; ok {
		return kinds
	}

	services, ok := listed[service]
	if !ok {
		services = []serviceKind{{service: strings.ReplaceAll(service, "-", "")}}
	}

	if resource == "*" {
		return services
	}

	return slices.DeleteFunc(slices.Collect(maps.Keys(taggable())), func(p serviceKind) bool {
		return !slices.Contains(services, serviceKind{service: p.service}) || !isCalled(p.kind, resource)
	})
}

// isCalled reports whether the kind has the name of the resource's last part, but for hyphens, capitals and an s at the end:
// LogGroup and log-groups.
func isCalled(kind, resource string) bool {
	name := strings.NewReplacer("-", "", "_", "").Replace(resource[strings.LastIndexByte(resource, '/')+1:])
	return kind != "" && (strings.EqualFold(name, kind) || strings.EqualFold(name, kind+"s"))
}

// resources returns selectors of the kinds of the resource types, such as {apiVersion: ec2.aws.*/*, kind: Instance} for ec2:instance. It notes
// types without such a kind. path is the path of the types in the policy, for the notes.
func (i *importer) resources(path string, types []string) []v1beta1.ResourceSelector {
	selected := make(map[string]bool) // By the pattern of the API version, a space, and the kind.

	for _, t := range types {
		known := false

		for _, p := range kindsOf(t) {
			for _, pattern := range taggable()[p] {
				selected[pattern+" "+p.kind], known = true, true
			}
		}

		if !known {
			i.notef("%s: no kinds with tags are known of %s", path, words.Name(t))
		}
	}

	return words.MapIf(slices.Sorted(maps.Keys(selected)), func(text string) (v1beta1.ResourceSelector, bool) {
		pattern, kind, _ := strings.Cut(text, " ")
		selector := v1beta1.ResourceSelector{ResourceMatch: v1beta1.ResourceMatch{APIVersion: profile.Pattern(pattern), Kind: profile.Pattern(kind)}}

		return selector, kind == "" || !selected[pattern+" "]
	})
}

// ofAWS returns selectors of all resources of AWS: of Crossplane's providers, of AWS's own controllers and of Cluster API.
func ofAWS() []v1beta1.ResourceSelector {
	return words.Map([]v1beta1.ResourceMatch{
		{APIVersion: "*.aws.*/*"},
		{APIVersion: "*.k8s.aws/*"},
		{APIVersion: "*.amazonaws.com/*"},
		{APIVersion: "*.cluster.x-k8s.io/*", Kind: "AWS*"},
		{APIVersion: "*.cluster.x-k8s.io/*", Kind: "ROSA*"},
	}, func(m v1beta1.ResourceMatch) v1beta1.ResourceSelector {
		return v1beta1.ResourceSelector{ResourceMatch: m}
	})
}
