package field

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// A secondSystem is a tag system that a cloud has beside its usual tags, in other fields. An entry of tagFields asks for it by the name of its
// tag profile, and its field takes the place of the kind's usual one.
type secondSystem struct {
	// family of the kinds, and the tag profile of the system.
	family, profile string

	// fields of all kinds, the preferred one first.
	fields []*candidate
}

// forcesNew says why most fields with Resource Manager tags of Google Cloud can't change. The source of these kinds was read in these releases, file
// by file. In five of them, such as compute/resource_compute_firewall.go, only params is ForceNew, and no update sends it. The
// file compute/resource_compute_instance.go updates resource_manager_tags, but the first tag of an instance makes a new instance there, too. So
// the field counts as the others.
const forcesNew = "hashicorp/terraform-provider-google: params, tags and resource_manager_tags of a template are ForceNew, v5.19.0 to v7.39.0"

var secondSystems = []secondSystem{
	// Not tags of the resource itself: resourceManagerTags of disks, of bootDisk.initializeParams and of gceClusterConfig (of what the
	// resource makes), and of nodePoolAutoConfig (of node pools that Google makes).
	{"gcp", "gcp-tags", []*candidate{
		at("params.resourceManagerTags", "params.resourceManagerTags").refusing(forcesNew),
		at("resourceManagerTags", "resourceManagerTags").refusing(forcesNew),

		// The only such tags that a node pool has, and a cluster. An update of container/node_config.go changes them.
		at("nodeConfig.resourceManagerTags", "nodeConfig.resourceManagerTags").within(),

		// BigQuery has namespaced keys and short values here. They aren't ForceNew in bigquery/resource_bigquery_dataset.go and
		// resource_bigquery_table.go.
		at("resourceTags", "resourceTags"),

		// A map. Lists called tags have network tags.
		at("tags", "tags").refusing(forcesNew),
	}},

	// Cluster API's provider has a map of maps, which isn't read.
	{"oci", "oci-defined", []*candidate{at("definedTags", "definedTags")}},
}

// secondOf returns the second tag system of the family, or nil.
func secondOf(f *family) *secondSystem {
	for i := range secondSystems {
		if secondSystems[i].family == f.Name {
			return &secondSystems[i]
		}
	}

	return nil
}

// SecondSystemOf returns the tag profile of the second tag system of the kind's provider, such as gcp-tags, or nothing.
func SecondSystemOf(gk schema.GroupKind) string {
	f, _ := familyOf(gk)
	if s := secondOf(f); s != nil {
		return s.profile
	}

	return ""
}

// ReadSecond is Read for the second tag system of the kind's provider.
func ReadSecond(gvk schema.GroupVersionKind, s object.Node) Field {
	fam, service := familyOf(gvk.GroupKind())

	if second := secondOf(fam); second != nil {
		for _, c := range second.fields {
			if f := c.read(s); f.Shape != None {
				fam.complete(&f, fam.filling(service, gvk.Kind))
				return f
			}
		}
	}

	return Field{Layout: Layout{Shape: None}}
}

// whySecond returns why the field of the second tag system is immutable, or nothing if there is no such field.
func (f *family) whySecond(path object.Path) string {
	if second := secondOf(f); second != nil {
		for _, c := range second.fields {
			if slices.ContainsFunc(c.paths, path.Equal) {
				return c.why
			}
		}
	}

	return ""
}

// Second returns the Variants of the field of the kind's second tag system, or nil if no release has one.
func (i *Index) Second(gvk schema.GroupVersionKind) Variants {
	return i.block(gvk.Group).seconds[version{gvk.Version, gvk.Kind}]
}

// second returns the field of the kind's second tag system, for the field asked of an entry that names the system.
func (r *Overrides) second(asked Field, k Kind) (Field, bool) {
	f, ok := Field{Layout: Layout{Shape: None}}, true

	if SecondSystemOf(k.GroupKind()) == asked.EntryProvider {
		e := BuiltIn().Second(k.GroupVersionKind)

		switch isListed := BuiltIn().variants(k.GroupVersionKind) != nil; {
		case len(e) == 1:
			f = e[0].Field
		case isListed && len(e) == 0:
		case r.Schemas != nil && k.Managed:
			s := r.Schemas.Of(k.GroupVersionKind)
			f, ok = ReadSecond(k.GroupVersionKind, s), s.IsObject()
		default:
			ok = false
		}
	}

	f.EntryProvider, f.EntryLacksPath = asked.EntryProvider, true

	return f, ok
}
