package tests

import (
	"fmt"
	"slices"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/plexsphere/function-cloud-tags/example/internal/live"
)

// crossplane is the field manager of composed resources.
const crossplane = "apiextensions.crossplane.io/composed"

// The function owns the tags of labels, as the Composition owns its own. Others own their tags. A tag of both
// stays theirs once the label is gone.
func testOwners(c live.Test) {
	fields := []struct {
		name string
		path []string

		// based are the elements that the Composition has.
		based []string

		// element that a label becomes.
		element func(key, value string) string
	}{
		{"bucket", ofTags, []string{".Name", ".legacy"}, func(key, _ string) string { return ".plexsphere:" + key }},
		{"disk", ofTags, []string{`[key="Name"]`}, func(key, _ string) string { return fmt.Sprintf("[key=%q]", "plexsphere:"+key) }},
		{"network", ofTags, []string{`[="internal"]`, `[="legacy=yes"]`}, func(key, value string) string { return fmt.Sprintf("[=%q]", "plexsphere:"+key+"="+value) }},
		{"topic", ofMetadataLabels, []string{".crossplane.io/composite", ".team"}, func(key, _ string) string { return ".plexsphere_" + key }},
	}

	resources := bucket + bases("disk") + network + group + topic
	if c.Release == live.V1 { // It composes nothing in namespaces.
		resources, fields = bucket+bases("disk")+network+group, fields[:3]
	}

	s := c.NewStack("owners", resources, fieldLabels+`
tagFields:
- {apiVersion: storage.cloud.example.org/*, kind: Disk, fieldPath: spec.forProvider.tags, shape: KeyValueList}
`)

	// want wants the tags of labels to be owned by us and by others.
	want := func(ours map[string]string, others map[string]map[string]string) {
		c.T.Helper()

		for _, f := range fields {
			owners := live.Owners{crossplane: slices.Clone(f.based)}
			add := func(manager string, labels map[string]string) {
				for key, value := range labels {
					owners[manager] = append(owners[manager], f.element(key, value))
				}

				slices.Sort(owners[manager])
			}

			add(crossplane, ours)

			for manager, labels := range others {
				add(manager, labels)
			}

			s.WantOwners(f.name, f.path, owners)
		}

		// Who applies this list has all of it.
		s.WantOwners("group", ofTag, live.Owners{crossplane: {""}})
		s.Settled()
	}

	s.Label(object{"env": "prod", "owner": "team-a"})
	want(map[string]string{"env": "prod", "owner": "team-a"}, nil)

	// Others have tags that look like ours, and one of them has the same.
	others := map[string]map[string]string{"backup": {"owner": "team-a", "backup": "daily"}, "provider": {"region": "eu"}}
	tagByOthers(s)
	want(map[string]string{"env": "prod", "owner": "team-a"}, others)

	// A provider writes to all of the list.
	s.Write("group", object{"forProvider": object{"tag": append(live.Field[array](s.Resource("group"), ofTag...),
		object{"key": "crossplane-kind", "value": "autoscalinggroup.autoscaling.aws.m.upbound.io", "propagateAtLaunch": true})}})

	s.Label(object{"env": "test"})
	s.Want("bucket", ofTags, object{"Name": "reports", "legacy": "yes", "plexsphere:env": "test", "plexsphere:owner": "team-a", "plexsphere:backup": "daily", "plexsphere:region": "eu"})
	want(map[string]string{"env": "test"}, others)

	s.Label(nil)
	s.Want("bucket", ofTags, object{"Name": "reports", "legacy": "yes", "plexsphere:owner": "team-a", "plexsphere:backup": "daily", "plexsphere:region": "eu"})
	s.WantNetwork("internal", "legacy=yes", "plexsphere:owner=team-a", "plexsphere:backup=daily", "plexsphere:region=eu")
	want(nil, others)

	// The tag of a label is ours, even if another has had it before.
	s.Label(object{"owner": "team-b"})
	s.Want("bucket", ofTags, object{"Name": "reports", "legacy": "yes", "plexsphere:owner": "team-b", "plexsphere:backup": "daily", "plexsphere:region": "eu"})
	s.WantOwners("bucket", ofTags, live.Owners{crossplane: {".Name", ".legacy", ".plexsphere:owner"}, "backup": {".plexsphere:backup"}, "provider": {".plexsphere:region"}})
	s.Settled()
}

// tagByOthers adds tags to the resources of a stack, as another system and a provider do.
func tagByOthers(s *live.Stack) {
	tag := func(key, value string) object { return object{"key": "plexsphere:" + key, "value": value} }

	s.Tag("bucket", object{"tags": object{"plexsphere:owner": "team-a", "plexsphere:backup": "daily"}})
	s.Tag("disk", object{"tags": array{tag("owner", "team-a"), tag("backup", "daily")}})
	s.Tag("network", object{"tags": array{"plexsphere:owner=team-a", "plexsphere:backup=daily"}})

	tags := func(name string) array { return live.Field[array](s.Resource(name), ofTags...) }

	s.Write("bucket", object{"forProvider": object{"tags": object{"plexsphere:region": "eu"}}})
	s.Write("disk", object{"forProvider": object{"tags": append(tags("disk"), tag("region", "eu"))}})
	s.Write("network", object{"forProvider": object{"tags": append(tags("network"), "plexsphere:region=eu")}})

	if s.Release == live.V1 {
		return
	}

	for manager, labels := range map[string]map[string]string{
		"backup":   {"plexsphere_owner": "team-a", "plexsphere_backup": "daily"},
		"provider": {"plexsphere_region": "eu"},
	} {
		there := s.Resource("topic")
		o := &unstructured.Unstructured{Object: object{"apiVersion": there.GetAPIVersion(), "kind": there.GetKind()}}
		o.SetNamespace(there.GetNamespace())
		o.SetName(there.GetName())
		o.SetLabels(labels)

		if err := s.Apply(s.T.Context(), manager, o); err != nil {
			s.T.Fatal(err)
		}
	}
}

// The class of an XR is one of those that are there. Without any, all stays as it is.
func testClasses(c live.Test) {
	class := func(name, grade string) *unstructured.Unstructured {
		return live.Parse(c.T, fmt.Sprintf(`
apiVersion: aws.upbound.io/v1beta1
kind: ProviderConfig
metadata:
  name: %s
  labels: {classes.example.org/grade: %s, tags.example.org/class: %[1]s}
`, name, grade))
	}
	remove := func(name string) {
		c.T.Helper()

		if err := c.ClientFor(class("", "")).Delete(c.T.Context(), name, metav1.DeleteOptions{}); err != nil {
			c.T.Fatal(err)
		}
	}

	const input = `
sources:
- type: RequiredResource
  name: class
  pick: One
  resource:
    apiVersion: aws.upbound.io/v1beta1
    kind: ProviderConfig
    matchLabels: {value: {classes.example.org/grade: gold}}
  prefix: tags.example.org/
`

	c.Applied(class("class-b", "gold"), class("class-c", "gold"), class("class-d", "silver"))

	lowest := c.NewStack("class-lowest", bucket, input)
	kept := c.NewStack("class-kept", bucket, input+"statusFieldPath: status.cloudTags\n")

	want := func(s *live.Stack, class string) {
		c.T.Helper()
		s.WantSoon("bucket", ofTags, object{"Name": "reports", "legacy": "yes", "plexsphere:class": class})
		s.WantOwners("bucket", ofTags, live.Owners{crossplane: {".Name", ".legacy", ".plexsphere:class"}})
		s.Settled()
	}

	lowest.Label(nil)
	kept.Label(nil)
	want(lowest, "class-b")
	want(kept, "class-b")

	// A class stays picked if the status has it.
	c.Applied(class("class-a", "gold"))
	want(lowest, "class-a")
	want(kept, "class-b")

	remove("class-b")
	want(lowest, "class-a")
	want(kept, "class-a")

	// A class that has changed is none any more.
	c.Applied(class("class-a", "silver"))
	want(lowest, "class-c")
	want(kept, "class-c")

	before := []*unstructured.Unstructured{lowest.Resource("bucket"), kept.Resource("bucket")}

	remove("class-c")

	for i, s := range []*live.Stack{lowest, kept} {
		s.WantConditionSoon("CloudTagsPropagated", "False", "ResolveFailed")
		s.WantCondition("Synced", "False", "ReconcileError")
		s.Reconcile()

		if diff := cmp.Diff(before[i], s.Resource("bucket")); diff != "" {
			c.T.Errorf("-before, +after:\n%s", diff)
		}
	}

	c.Applied(class("class-d", "gold"))
	want(lowest, "class-d")
	want(kept, "class-d")
	kept.WantCondition("CloudTagsPropagated", "True", "AllPropagated")
}

// A Namespace names its zone, and the zone its organization, whose label is edited. Namespaces are kinds that every
// cluster has, so they stand for all three.
func testHops(c live.Test) {
	namespace := func(name, labels string) *unstructured.Unstructured {
		return live.Parse(c.T, "apiVersion: v1\nkind: Namespace\nmetadata: {name: "+name+", labels: {"+labels+"}}")
	}

	c.Applied(namespace("hops-team", "example.org/zone: hops-zone"), namespace("hops-zone", "example.org/organization: hops-a"),
		namespace("hops-a", "tags.example.org/company: a"), namespace("hops-b", "tags.example.org/company: b"))

	s := c.NewStack("hops", vpc, `
ttl: 2s
sources:
- {type: RequiredResource, name: team, resource: {apiVersion: v1, kind: Namespace, name: {value: hops-team}}}
- {type: RequiredResource, name: zone, resource: {apiVersion: v1, kind: Namespace, name: {expression: "required.team.metadata.labels['example.org/zone']"}}}
- type: RequiredResource
  resource: {apiVersion: v1, kind: Namespace, name: {expression: "required.zone.metadata.labels['example.org/organization']"}}
  prefix: tags.example.org/
`)
	want := func(company string) {
		c.T.Helper()
		s.Want("vpc", ofTags, object{"plexsphere:company": company})
	}

	s.Label(nil)
	want("a")
	s.Settled()

	// The last object is edited, and then what leads to it.
	c.Applied(namespace("hops-a", "tags.example.org/company: edited"))
	want("edited")
	c.Applied(namespace("hops-zone", "example.org/organization: hops-b"))
	want("b")
}

// Two Compositions extend one standard, which is edited. A setting of a Composition itself stands. Only the edit makes
// Crossplane reconcile, or the end of the ttl if Crossplane doesn't watch the standard.
func testStandard(c live.Test) {
	ttl := "2s"
	if c.Release == live.V2 {
		ttl = "1h"
	}

	edit := func(company string) {
		c.Applied(live.Parse(c.T, fmt.Sprintf(`
apiVersion: v1
kind: ConfigMap
metadata: {name: tag-standard, namespace: default}
data:
  cloudtags: |
    apiVersion: cloudtags.fn.plexsphere.com/v1beta1
    kind: CloudTags
    ttl: %s
    sources:
    - {type: Value, values: {company: %s}}
`, ttl, company)))
	}

	const extends = "extends: {apiVersion: v1, kind: ConfigMap, name: tag-standard, namespace: default, fromFieldPath: data.cloudtags}\n"

	edit("a")

	alone, more := c.NewStack("standard-alone", vpc, extends), c.NewStack("standard-more", vpc, extends+"keyPrefix: \"own:\"\n")
	want := func(company string) {
		c.T.Helper()
		alone.Want("vpc", ofTags, object{"plexsphere:company": company})
		more.Want("vpc", ofTags, object{"own:company": company})
	}

	alone.Label(nil)
	more.Label(nil)
	want("a")
	alone.Settled()
	more.Settled()

	edit("b")
	want("b")
}

// An object lists the labels that become tags. Authors of XRs can't change the list.
func testRegistry(c live.Test) {
	register := func(keys string) {
		c.Applied(live.Parse(c.T, "apiVersion: v1\nkind: Namespace\nmetadata: {name: registry, annotations: {registry.example.org/keys: '"+keys+"'}}"))
	}

	register("platform/*")

	s := c.NewStack("registry", vpc, `
ttl: 2s
sources:
- {type: RequiredResource, name: registry, resource: {apiVersion: v1, kind: Namespace, name: {value: registry}}}
- type: CompositeField
  fromFieldPath: spec.labels
  include: {source: registry, fromFieldPath: "metadata.annotations[registry.example.org/keys]"}
`)
	s.Label(object{"platform/env": "prod", "team": "a"})
	s.Want("vpc", ofTags, object{"plexsphere:platform/env": "prod"})
	s.Settled()

	register("[platform/*, team]")
	s.Want("vpc", ofTags, object{"plexsphere:platform/env": "prod", "plexsphere:team": "a"})

	register("{platform/env: false, team: true}")
	s.Want("vpc", ofTags, object{"plexsphere:team": "a"})
}

// Somebody classifies a resource in the cloud. It gets tags, and loses them once its status has lost the classifier.
func testCloudClassifier(c live.Test) {
	s := c.NewStack("classifier", bucket, fieldLabels+`
ttl: 2s
resources:
- matchCloudTags: {managed: "yes"}
`)
	observe := func(tags object) { s.Observe("bucket", object{"tags": tags}) }
	based := object{"Name": "reports", "legacy": "yes"}

	s.Label(object{"env": "prod"})
	s.Want("bucket", ofTags, based)
	s.WantEvent("Normal", "isn't selected by matchCloudTags")

	observe(object{"managed": "yes"})
	s.Want("bucket", ofTags, object{"Name": "reports", "legacy": "yes", "plexsphere:env": "prod"})
	s.WantEvent("Normal", "selected by matchCloudTags, perhaps even once the cloud has lost these tags")
	s.Settled()

	// A resource that is deselected in the cloud keeps its tags as they are.
	observe(object{"team": "data"})
	s.WantEvent("Normal", "its provider reports no such tag")
	s.Label(object{"env": "test"})
	s.Settled()
	s.Want("bucket", ofTags, object{"Name": "reports", "legacy": "yes", "plexsphere:env": "prod"})
}

// An XR that is bound picks no class, and keeps one that its status has.
func testBound(c live.Test) {
	c.Applied(live.Parse(c.T, `
apiVersion: aws.upbound.io/v1beta1
kind: ProviderConfig
metadata:
  name: bound-class
  labels: {bound.example.org/grade: gold, bound.example.org/site: north, bound.example.org/bound: "yes", tags.example.org/class: gold}
`))

	const input = `
sources:
- type: RequiredResource
  name: class
  pick: One
  resource:
    apiVersion: aws.upbound.io/v1beta1
    kind: ProviderConfig
    matchLabels: {fromFieldPath: spec.labels, value: {bound.example.org/grade: gold}}
    unless: {fromFieldPath: "spec.labels[bound.example.org/bound]"}
  prefix: tags.example.org/
`
	labels := object{"bound.example.org/site": "north"}
	bound := object{"bound.example.org/site": "north", "bound.example.org/bound": "yes"}
	tags := object{"plexsphere:class": "gold"}

	early := c.NewStack("bound-early", vpc, input)
	early.Label(bound)
	early.WantCondition("CloudTagsPropagated", "True", "AllPropagated")
	early.Want("vpc", ofTags, nil)

	late := c.NewStack("bound-late", vpc, input+"statusFieldPath: status.cloudTags\n")
	late.Label(labels)
	late.WantSoon("vpc", ofTags, tags)
	late.Settled()

	late.Label(bound)
	late.Settled()
	late.Want("vpc", ofTags, tags)

	free := c.NewStack("bound-free", bucket, input)
	free.Label(labels)
	free.WantSoon("bucket", ofTags, object{"Name": "reports", "legacy": "yes", "plexsphere:class": "gold"})
	free.Label(bound)
	free.WantSoon("bucket", ofTags, object{"Name": "reports", "legacy": "yes"})
}
