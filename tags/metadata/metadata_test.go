package metadata

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
	"github.com/plexsphere/function-cloud-tags/tags/target"
)

// A copyCase is a case of resources that metadata is copied to.
type copyCase struct {
	reason string

	// rules of the input, as JSON.
	rules string

	// metadata by the position of the rule. Rules that have none copy nothing, or
	// copy from composed resources.
	metadata []resolve.Metadata

	// desired resources by name, as JSON.
	desired map[string]string
}

// copied are what the supplied result says, line by line, or the error.
func copied(r *Result, err error) []string {
	if err != nil {
		return []string{"error: " + err.Error()}
	}

	out := []string{}

	for _, name := range slices.Sorted(maps.Keys(r.Changed)) {
		fields := r.Changed[name].Struct().AsMap()
		delete(fields, "apiVersion")
		delete(fields, "kind")

		j, err := json.Marshal(fields)
		if err != nil {
			panic(err) // It was JSON.
		}

		out = append(out, fmt.Sprintf("%s: %s", name, j))
	}

	for _, n := range r.NotCopied {
		out = append(out, fmt.Sprintf("not copied by %d: %s", n.Rule, n.Why))
	}

	return out
}

// run the case, more than once, since all that is copied is in maps.
func (tc copyCase) run(t *testing.T, g *tagstest.Golden) {
	t.Helper()

	in, err := v1beta1.Decode(resource.MustStructJSON(`{"apiVersion": "cloudtags.fn.plexsphere.com/v1beta1", "kind": "CloudTags", "provider": {"value": "aws"}, "kubernetesMetadata": [` + tc.rules + `]}`))
	if err != nil {
		t.Fatal(err)
	}

	rules := func() []resolve.Metadata {
		out := make([]resolve.Metadata, len(in.KubernetesMetadata))
		for i := range out {
			out[i].Rule = &in.KubernetesMetadata[i]
			if i < len(tc.metadata) {
				out[i].Labels, out[i].Annotations = maps.Clone(tc.metadata[i].Labels), maps.Clone(tc.metadata[i].Annotations)
			}
		}

		return out
	}

	before := in.DeepCopy()

	for range 5 {
		given, desired := rules(), tagstest.Resources(tc.desired)
		copies := Select(given, targetsOf(t, &stamp.Stamper{Finder: target.Finder{Input: in, Fields: byProfile}, Transformer: tags.NewTransformer(nil, nil)}, desired))

		g.Check(t, tc.reason, copied(copies.Copy(t.Context())))

		if diff := cmp.Diff(tagstest.Resources(tc.desired), desired, protocmp.Transform()); diff != "" {
			t.Fatalf("\n%s\nCopy(...) changed what is desired: -before, +after:\n%s", tc.reason, diff)
		}

		if diff := cmp.Diff(rules(), given); diff != "" {
			t.Fatalf("\n%s\nCopy(...) changed the metadata: -before, +after:\n%s", tc.reason, diff)
		}

		if diff := cmp.Diff(before, in); diff != "" {
			t.Fatalf("\n%s\nCopy(...) changed the input: -before, +after:\n%s", tc.reason, diff)
		}
	}
}

// byProfile locates the usual fields of providers.
func byProfile(field.Schemas) field.Locator {
	return field.ByProfile{}
}

// targetsOf returns the supplied resources as targets.
func targetsOf(t *testing.T, s *stamp.Stamper, desired map[string]*fnv1.Resource) *target.Targets {
	t.Helper()

	targets, err := s.Targets(t.Context(), desired)
	if err != nil {
		t.Fatalf("Targets(...): %v", err)
	}

	return targets
}

// Rules that copy all that there is.
const (
	allOfComposite = `{"source": {"type": "CompositeMetadata"}, "select": {"all": true}}`
	allOfA         = `{"source": {"type": "ComposedResource", "name": "a"}, "select": {"all": true}}`
)

func TestCopySelect(t *testing.T) {
	// Keys that a selector selects from. Values don't matter.
	keys := []string{
		"team", "teams", "Team", "kubernetes.io", "node-restriction.kubernetes.io",
		"kubernetes.io/arch",
		"node-role.kubernetes.io/worker",
		"node-restriction.kubernetes.io/pool",
		"zone.node-restriction.kubernetes.io/a",
		"a.zone.node-restriction.kubernetes.io/b",
		"evilnode-restriction.kubernetes.io/pool",
		"node-restriction.kubernetes.io.example.org/pool",
		"example.org/node-restriction.kubernetes.io",

		"crossplane.io/composite",
		"crossplane.io/claim-name",
		"apiextensions.crossplane.io/usage",
		"a.b.crossplane.io/c",
		"crossplane.io", "crossplane.io-name",
		"notcrossplane.io/name",
		"crossplane.io.example.org/name",
		"example.org/crossplane.io",
		"kubectl.kubernetes.io/last-applied-configuration",
		"kubectl.kubernetes.io/restartedAt",
		"kubectl.kubernetes.io",
		"notkubectl.kubernetes.io/a",
	}
	stopping := []string{
		"services.k8s.aws/read-only", "serviceoperator.azure.com/reconcile-policy", "cnrm.cloud.google.com/reconcile-interval-in-seconds", "cluster.x-k8s.io/paused",
	}
	keys = append(append(keys, stopping...), "services.k8s.aws/region", "cluster.x-k8s.io/paused-by")

	cases := map[string]struct {
		reason string
		sel    string
	}{
		"Prefix":             {reason: "A prefix is the beginning of a key, with its case, wherever the slash is.", sel: `"prefixes": ["team"]`},
		"WholeKey":           {reason: "The beginning of a key may be all of it.", sel: `"prefixes": ["node-role.kubernetes.io/worker"]`},
		"Prefixes":           {reason: "Of several prefixes one has to match.", sel: `"prefixes": ["teams", "nothing", "node-role.kubernetes.io", "Te"]`},
		"PrefixIsNoDomain":   {reason: "A prefix is characters only, so a domain may go on after it, and a subdomain of it doesn't match.", sel: `"prefixes": ["node-restriction.kubernetes.io"]`},
		"NoPattern":          {reason: "A star in a prefix is a star.", sel: `"prefixes": ["*", "team*"]`},
		"Domain":             {reason: "A domain has its keys and those of its subdomains, but not those of a domain that ends or starts alike, and no key without a slash.", sel: `"domains": ["node-restriction.kubernetes.io"]`},
		"ParentDomain":       {reason: "The subdomains of a domain are many, but what kubectl needs of them is not copied.", sel: `"domains": ["kubernetes.io"]`},
		"Domains":            {reason: "Of several domains one has to match.", sel: `"domains": ["nothing.example.org", "example.org", "a.zone.node-restriction.kubernetes.io"]`},
		"TopDomain":          {reason: "Only whole parts of a domain are a domain.", sel: `"domains": ["kubernetes", "io.example.org", "o", "rnetes.io"]`},
		"PrefixesAndDomains": {reason: "Of prefixes and domains one has to match.", sel: `"prefixes": ["Team"], "domains": ["node-role.kubernetes.io"]`},
		"Private":            {reason: "What Crossplane and kubectl say of the very object is not copied, whoever selects it.", sel: `"prefixes": ["crossplane.io/", "apiextensions.", "a.b.", "kubectl.kubernetes.io/"], "domains": ["crossplane.io", "b.crossplane.io", "kubectl.kubernetes.io"]`},
		"All":                {reason: "All is all but what is private. What only looks like a private domain isn't.", sel: `"all": true`},
		"AllAndMore":         {reason: "What is selected beside all makes no difference.", sel: `"all": true, "prefixes": ["team"], "domains": ["crossplane.io"]`},
		"Stopping":           {reason: "What stops controllers is not copied, whoever selects it.", sel: `"prefixes": ["` + strings.Join(stopping, `", "`) + `"], "domains": ["k8s.aws"]`},
		"NotAll":             {reason: "All that is false selects nothing.", sel: `"all": false, "prefixes": ["teams"]`},
	}

	values := func(of string, keys []string) map[string]string {
		out := make(map[string]string, len(keys))
		for _, key := range keys {
			out[key] = of
		}

		return out
	}

	g := tagstest.NewGolden(t)

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			copyCase{
				reason:   tc.reason,
				rules:    `{"source": {"type": "CompositeMetadata"}, "select": {` + tc.sel + `}}`,
				metadata: []resolve.Metadata{{Labels: values("label", keys), Annotations: values("annotation", keys)}},
				desired:  map[string]string{"r": tagstest.Thing("")},
			}.run(t, g)
		})
	}
}

func TestCopyInvalid(t *testing.T) {
	long, tooLong := strings.Repeat("n", 63), strings.Repeat("n", 64)
	domain := strings.Repeat(strings.Repeat("d", 49)+".", 5) + "org"
	tooLongDomain := "d" + domain

	cases := map[string]struct {
		reason   string
		metadata map[string]string
	}{
		"Valid":           {reason: "What the API server accepts is copied, up to its limits.", metadata: map[string]string{"a": "", "A_b.c-1": "x_y.z-1", long: long, domain + "/" + long: "1"}},
		"ValueTooLong":    {reason: "An annotation may have a longer value than a label.", metadata: map[string]string{"a": tooLong, "b": "x"}},
		"ValueCharacters": {reason: "An annotation may have any value, and a label may not. Keys come sorted.", metadata: map[string]string{"z": "two words", "b": "-x", "c": "x.", "d": "é", "e": "{\n}", "f": " "}},
		"KeyCharacters":   {reason: "A key that the API server refuses is copied neither as a label nor as an annotation.", metadata: map[string]string{"a b": "x", "ours:a": "y", "b": "z"}},
		"KeyTooLong":      {reason: "The name of a key has a limit.", metadata: map[string]string{"example.org/" + tooLong: "x"}},
		"DomainTooLong":   {reason: "The domain of a key has a limit.", metadata: map[string]string{tooLongDomain + "/a": "x"}},
		"Case":            {reason: "The domain of an annotation may be in capital letters, and that of a label may not. Names may be for both.", metadata: map[string]string{"Example.ORG/a": "x", "example.org/A": "y"}},
		"Empty":           {reason: "A key must not be empty, nor any part of it.", metadata: map[string]string{"": "x", "/a": "y", "example.org/": "z"}},
		"Slashes":         {reason: "A key has one slash at most.", metadata: map[string]string{"example.org/a/b": "x"}},
		"KeyAndValue":     {reason: "All that is wrong is told at once.", metadata: map[string]string{"a b": "x y"}},
	}

	g := tagstest.NewGolden(t)

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			copyCase{
				reason:   tc.reason,
				rules:    allOfComposite,
				metadata: []resolve.Metadata{{Labels: tc.metadata, Annotations: tc.metadata}},
				desired:  map[string]string{"r": tagstest.Thing("")},
			}.run(t, g)
		})
	}
}

func TestCopy(t *testing.T) {
	some := resolve.Metadata{
		Labels:      map[string]string{"example.org/team": "a", "tier": "gold"},
		Annotations: map[string]string{"example.org/note": "two words"},
	}

	// to returns a rule that copies all to the supplied paths.
	to := func(paths string) string {
		return `{"source": {"type": "CompositeMetadata"}, "select": {"all": true}, "toFieldPaths": {` + paths + `}}`
	}

	// spec returns a resource with the supplied spec.
	spec := func(spec string) string { return tagstest.Thing(`"spec": {` + spec + `}`) }

	r := func(j string) map[string]string { return map[string]string{"r": j} }

	cases := map[string]copyCase{
		// Where to.
		"NoMetadata": {reason: "What is missing on the way to the default fields is made.", rules: allOfComposite, metadata: []resolve.Metadata{some}, desired: r(tagstest.Thing(""))},
		"OverEarlierSteps": {
			reason:   "What is copied takes the place of what earlier steps set. All else stays.",
			rules:    allOfComposite,
			metadata: []resolve.Metadata{some},
			desired: r(tagstest.Thing(
				`"metadata": {"name": "x", "labels": {"example.org/team": "b", "app": "shop"}, "annotations": {"crossplane.io/external-name": "x", "example.org/note": ""}}, "spec": {"a": 1}`,
			)),
		},
		"OnlyLabels": {reason: "What isn't copied has no field, so none is made.", rules: `{"source": {"type": "CompositeMetadata"}, "select": {"all": true}, "copy": ["Labels"]}`, metadata: []resolve.Metadata{{Labels: some.Labels}}, desired: r(tagstest.Thing(""))},
		"Paths": {
			reason:   "Everything is copied to every path, in whatever depth, and not to the default fields.",
			rules:    to(`"labels": ["spec.labels", "spec.template.metadata.labels"], "annotations": ["spec.template.metadata.annotations"]`),
			metadata: []resolve.Metadata{some},
			desired:  r(spec(`"labels": {"tier": "none", "app": "shop"}, "replicas": 2`)),
		},
		"OnePath":             {reason: "Labels and annotations may be copied to one map.", rules: to(`"labels": ["spec.all"], "annotations": ["spec.all"]`), metadata: []resolve.Metadata{some}, desired: r(spec(""))},
		"AnnotationOverLabel": {reason: "Annotations are copied after labels, so in one map the annotation counts.", rules: to(`"labels": ["spec.all"], "annotations": ["spec.all"]`), metadata: []resolve.Metadata{{Labels: map[string]string{"a": "label"}, Annotations: map[string]string{"a": "annotation"}}}, desired: r(spec(""))},
		"Item":                {reason: "A path may lead to an item of a list, which keeps its neighbours.", rules: to(`"labels": ["spec.templates[1].labels"]`), metadata: []resolve.Metadata{some}, desired: r(spec(`"templates": [{"name": "a"}, {"name": "b"}]`))},
		"Brackets":            {reason: "A path may have names with dots in it.", rules: to(`"annotations": ["spec.by[example.org/a.b].annotations"]`), metadata: []resolve.Metadata{some}, desired: r(spec(""))},
		"Null":                {reason: "A field that is null is absent, and so is what it should be in.", rules: to(`"labels": ["spec.labels", "spec.template.labels"]`), metadata: []resolve.Metadata{some}, desired: r(spec(`"labels": null, "template": null`))},
		"OtherValues":         {reason: "A value that isn't a string gives way to one that is copied. Others are not ours to judge.", rules: to(`"labels": ["spec.labels"]`), metadata: []resolve.Metadata{some}, desired: r(spec(`"labels": {"tier": 1, "example.org/team": null, "n": 2, "null": null, "list": []}`))},
		"EmptyValue":          {reason: "An empty value is a value, which a key without one doesn't have.", rules: allOfComposite, metadata: []resolve.Metadata{{Labels: map[string]string{"a": ""}, Annotations: map[string]string{"a": ""}}}, desired: r(tagstest.Thing(`"metadata": {"labels": {"b": "x"}, "annotations": {"a": "x"}}`))},

		// Nothing to do.
		"Nothing": {reason: "If there is nothing to copy, nothing is made.", rules: allOfComposite + `, ` + to(`"labels": ["spec.a.b.c"], "annotations": ["spec.d"]`), metadata: []resolve.Metadata{{}, {Labels: map[string]string{}, Annotations: map[string]string{}}}, desired: r(tagstest.Thing(""))},
		"NothingSelected": {
			reason:   "If nothing is selected, nothing is made, and a field of another kind doesn't matter.",
			rules:    `{"source": {"type": "CompositeMetadata"}, "select": {"prefixes": ["x"], "domains": ["x.org"]}}`,
			metadata: []resolve.Metadata{some},
			desired:  map[string]string{"r": tagstest.Thing(""), "s": tagstest.Thing(`"metadata": {"labels": "x", "annotations": []}`)},
		},
		"NothingValid": {reason: "If nothing may be copied, nothing is made.", rules: `{"source": {"type": "CompositeMetadata"}, "select": {"all": true}, "copy": ["Labels"]}`, metadata: []resolve.Metadata{{Labels: map[string]string{"a": "two words"}}}, desired: r(tagstest.Thing(""))},
		"NoResources":  {reason: "Without resources there is nothing to copy to.", rules: allOfComposite, metadata: []resolve.Metadata{some}},
		"Same": {
			reason:   "A resource that has everything doesn't change.",
			rules:    allOfComposite + `, ` + to(`"labels": ["spec.labels"]`),
			metadata: []resolve.Metadata{some, {Labels: some.Labels}},
			desired: map[string]string{
				"same": tagstest.Thing(`"metadata": {"labels": {"app": "x", "tier": "gold", "example.org/team": "a"}, "annotations": {"example.org/note": "two words"}},
					"spec": {"labels": {"tier": "gold", "example.org/team": "a"}}`),
				"other": tagstest.Thing(`"metadata": {"labels": {"tier": "gold", "example.org/team": "a"}, "annotations": {"example.org/note": "two words"}},
					"spec": {"labels": {"tier": "none", "example.org/team": "a"}}`),
			},
		},

		// Fields of another kind.
		"NotAMap": {
			reason:   "A field of another kind is left alone, and told. All other fields are written.",
			rules:    to(`"labels": ["spec.text", "spec.list", "spec.number", "spec.labels"], "annotations": ["spec.boolean"]`),
			metadata: []resolve.Metadata{some},
			desired:  r(spec(`"text": "x", "list": [{"tier": "x"}], "number": 0, "boolean": false`)),
		},
		"ThroughOther": {
			reason:   "A path through a list needs the position of an item, and one through anything else leads nowhere.",
			rules:    to(`"labels": ["spec.list.labels", "spec.text.labels", "spec.labels[0]", "metadata.labels"]`),
			metadata: []resolve.Metadata{some},
			desired:  r(spec(`"list": [{"labels": {}}], "text": "x", "labels": {"a": "b"}`)),
		},
		"NoItem": {reason: "An item that isn't there is not made, and neither is a list.", rules: to(`"labels": ["spec.list[1].labels", "spec.none[0].labels", "spec.labels"]`), metadata: []resolve.Metadata{some}, desired: r(spec(`"list": [{}]`))},
		"Order": {
			reason:   "What was not copied comes by rule. Of a rule keys come first, then resources by name, labels and then annotations.",
			rules:    to(`"labels": ["spec.x"], "annotations": ["spec.x"]`) + `, ` + allOfComposite,
			metadata: []resolve.Metadata{{Labels: map[string]string{"b": "x y", "c": "1"}, Annotations: map[string]string{"a b": "x", "d": "1"}}, {Labels: map[string]string{"a": "x y"}}},
			desired:  map[string]string{"b": spec(`"x": 1`), "a": spec(`"x": "y"`)},
		},

		// Several rules.
		"LaterRule": {
			reason: "A later rule counts over an earlier one, whatever was selected before.",
			rules:  allOfComposite + `, ` + `{"source": {"type": "CompositeMetadata"}, "select": {"prefixes": ["a", "b"]}}`,
			metadata: []resolve.Metadata{
				{Labels: map[string]string{"a": "1", "b": "1", "c": "1"}},
				{Labels: map[string]string{"b": "2", "c": "2", "bb": "2"}},
			},
			desired: r(tagstest.Thing(`"metadata": {"labels": {"a": "0", "b": "0", "c": "0", "d": "0"}}`)),
		},
		"LaterRuleRestores": {reason: "What a later rule changes back is written as it was.", rules: allOfComposite + `, ` + allOfComposite, metadata: []resolve.Metadata{{Labels: map[string]string{"a": "1"}}, {Labels: map[string]string{"a": "0"}}}, desired: r(tagstest.Thing(`"metadata": {"labels": {"a": "0"}}`))},
		"LaterRuleNotAMap":  {reason: "A rule may copy to what an earlier one made, but a value of that is no map.", rules: to(`"labels": ["spec.labels"]`) + `, ` + to(`"labels": ["spec.labels.tier"]`) + `, ` + to(`"annotations": ["spec.labels"]`), metadata: []resolve.Metadata{some, some, some}, desired: r(tagstest.Thing(""))},
	}

	g := tagstest.NewGolden(t)

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) { tc.run(t, g) })
	}
}

func TestCopyComposed(t *testing.T) {
	// of returns a rule that copies all of the composed resource a, with more fields of
	// the source, and of the rule.
	of := func(source, fields string) string {
		return `{"source": {"type": "ComposedResource", "name": "a"` + source + `}, "select": {"all": true}` + fields + `}`
	}

	// only returns the resources field for the resource of the supplied name.
	only := func(name string) string { return fmt.Sprintf(`, "resources": [{"name": %q}]`, name) }

	// from returns a rule that copies all of the first resource to the second one.
	from := func(a, b string) string {
		return `{"source": {"type": "ComposedResource", "name": "` + a + `"}, "select": {"all": true}` + only(b) + `}`
	}

	labelled := func(labels string) string { return tagstest.Thing(`"metadata": {"labels": {` + labels + `}}`) }

	cases := map[string]copyCase{
		"Earlier": {reason: "What earlier steps set on a composed resource is copied to the others. It has it already.", rules: allOfA, desired: map[string]string{"a": tagstest.Thing(`"metadata": {"labels": {"x": "1"}, "annotations": {"y": "a b"}}`), "b": tagstest.Thing(""), "c": labelled(`"x": "0", "z": "0"`)}},
		"Private": {
			reason: "What Crossplane, kubectl and this function are told of the resource is not for others.",
			rules:  allOfA,
			desired: map[string]string{
				"a": tagstest.Thing(`"metadata": {"annotations": {"crossplane.io/external-name": "x", "a.crossplane.io/b": "x", "kubectl.kubernetes.io/a": "y", "cloudtags.fn.plexsphere.com/ignore": "false", "note": "z"}}`),
				"b": tagstest.Thing(""),
			},
		},
		"Absent":      {reason: "Nothing is copied of a composed resource that there is none of.", rules: from("other", "b") + `, ` + from("A", "b"), desired: map[string]string{"a": labelled(`"x": "1"`), "b": tagstest.Thing("")}},
		"NoMetadata":  {reason: "Nothing is copied of a composed resource that has nothing.", rules: allOfA, desired: map[string]string{"a": tagstest.Thing(""), "b": tagstest.Thing("")}},
		"NotResolved": {reason: "What was resolved for the position of such a rule is not what it copies.", rules: allOfA, metadata: []resolve.Metadata{{Labels: map[string]string{"no": "no"}}}, desired: map[string]string{"a": labelled(`"x": "1"`), "b": tagstest.Thing("")}},
		"Each": {
			reason: "Of several composed resources each should be copied to those that have the same text in their names.",
			rules:  `{"source": {"type": "ComposedResource", "name": "pool-*-set"}, "select": {"all": true}, "resources": [{"name": "nodes-*"}]}`,
			desired: map[string]string{
				"pool-a-set": labelled(`"pool": "a"`), "nodes-a": tagstest.Thing(""),
				"pool-a-b-set": labelled(`"pool": "a-b"`), "nodes-a-b": tagstest.Thing(""),
				"pool--set": labelled(`"pool": "empty"`), "nodes-": tagstest.Thing(""),
				"pool-c-set": labelled(`"pool": "c"`), "nodes-d": tagstest.Thing(""), "other-a": tagstest.Thing(""),
				"pool-set": labelled(`"pool": "overlap"`),
			},
		},
		"EachSelected": {
			reason: "All else that an entry says must hold, too.",
			rules:  `{"source": {"type": "ComposedResource", "name": "a-*"}, "select": {"all": true}, "resources": [{"name": "b-*", "kind": "Other"}, {"name": "*-b", "matchLabels": {"take": "it"}}]}`,
			desired: map[string]string{
				"a-x": labelled(`"x": "x"`), "b-x": tagstest.Thing(""),
				"a-y": labelled(`"y": "y"`), "y-b": labelled(`"take": "it"`),
				"a-z": labelled(`"z": "z"`), "z-b": tagstest.Thing(""),
			},
		},
		"EachOfTwoEntries": {
			reason:  "A resource that two entries select should get the metadata of both, later over earlier ones.",
			rules:   `{"source": {"type": "ComposedResource", "name": "a-*"}, "select": {"all": true}, "resources": [{"name": "x-*"}, {"name": "*-y"}]}`,
			desired: map[string]string{"a-x": labelled(`"of": "second", "x": "x"`), "a-y": labelled(`"of": "first", "y": "y"`), "x-y": tagstest.Thing("")},
		},
		"EachReadFirst": {
			reason:  "All sources of a rule should be read before it copies, whatever they are called.",
			rules:   `{"source": {"type": "ComposedResource", "name": "*"}, "select": {"all": true}, "resources": [{"name": "*-"}]}`,
			desired: map[string]string{"a": labelled(`"a": "1"`), "a-": labelled(`"b": "2"`), "a--": tagstest.Thing("")},
		},
		"EachInvalid": {
			reason: "What may not be a label should be told once of each source, in the order of what it was for.",
			rules:  `{"source": {"type": "ComposedResource", "name": "a-*", "labelsFieldPath": "spec.tags"}, "copy": ["Labels"], "select": {"all": true}, "resources": [{"name": "*-b"}, {"name": "b-*"}]}`,
			desired: map[string]string{
				"a-x": tagstest.Thing(`"spec": {"tags": {"ours:x": "1"}}`), "x-b": tagstest.Thing(""), "b-x": tagstest.Thing(""),
				"a-y": tagstest.Thing(`"spec": {"tags": {"ours:y": "1"}}`), "y-b": tagstest.Thing(""),
			},
		},
		"EarlierRule": {
			reason:   "What an earlier rule copied to a composed resource is copied on.",
			rules:    `{"source": {"type": "CompositeMetadata"}, "select": {"all": true}` + only("a") + `}, ` + from("a", "b"),
			metadata: []resolve.Metadata{{Labels: map[string]string{"x": "1"}}},
			desired:  map[string]string{"a": labelled(`"x": "0", "y": "0"`), "b": tagstest.Thing("")},
		},
		"LaterRule": {
			reason:   "What a later rule copies to a composed resource is not copied on.",
			rules:    from("a", "b") + `, {"source": {"type": "CompositeMetadata"}, "select": {"all": true}` + only("a") + `}`,
			metadata: []resolve.Metadata{{}, {Labels: map[string]string{"x": "1"}}},
			desired:  map[string]string{"a": labelled(`"x": "0", "y": "0"`), "b": tagstest.Thing("")},
		},
		"Chain": {
			reason:  "A chain may be as long as there are rules, and be against the order of names.",
			rules:   from("d", "c") + `, ` + from("c", "b") + `, ` + from("b", "a"),
			desired: map[string]string{"a": labelled(`"x": "a", "a": "a"`), "b": labelled(`"x": "b", "b": "b"`), "c": labelled(`"x": "c", "c": "c"`), "d": labelled(`"x": "d", "d": "d"`)},
		},
		"ThereAndBack": {reason: "Two resources may copy each other. The rules go in order, so the first source wins.", rules: from("a", "b") + `, ` + from("b", "a"), desired: map[string]string{"a": labelled(`"x": "a", "a": "a"`), "b": labelled(`"x": "b", "b": "b"`)}},
		"Itself": {
			reason:  "A resource may be copied to other fields of its own, and is read before.",
			rules:   of("", `, "toFieldPaths": {"labels": ["spec.template.labels", "spec.all"], "annotations": ["spec.all", "metadata.labels"]}`+only("a")),
			desired: map[string]string{"a": tagstest.Thing(`"metadata": {"labels": {"x": "1"}, "annotations": {"y": "2"}}`)},
		},
		"Paths": {
			reason:  "The maps may be anywhere in the composed resource.",
			rules:   of(`, "labelsFieldPath": "spec.template.labels", "annotationsFieldPath": "spec.list[0]"`, only("b")),
			desired: map[string]string{"a": tagstest.Thing(`"metadata": {"labels": {"no": "no"}}, "spec": {"template": {"labels": {"x": "1"}}, "list": [{"y": "2"}]}`), "b": tagstest.Thing("")},
		},
		"PathOfEarlierRule": {
			reason:   "A field that only an earlier rule has made may be read.",
			rules:    `{"source": {"type": "CompositeMetadata"}, "select": {"all": true}, "toFieldPaths": {"labels": ["spec.made"]}` + only("a") + `}, ` + of(`, "labelsFieldPath": "spec.made"`, only("b")),
			metadata: []resolve.Metadata{{Labels: map[string]string{"x": "1"}}},
			desired:  map[string]string{"a": tagstest.Thing(""), "b": tagstest.Thing("")},
		},
		"IgnoredSource": {reason: "What a resource that is ignored has may be copied, since it stays as it is. That it is ignored is its own.", rules: allOfA, desired: map[string]string{"a": tagstest.Thing(`"metadata": {"labels": {"x": "1"}, "annotations": {"` + target.IgnoreAnnotation + `": "true"}}`), "b": tagstest.Thing("")}},
		"Invalid":       {reason: "What may not be a label is not copied, and told with the rule.", rules: allOfComposite + `, ` + of(`, "labelsFieldPath": "spec.tags"`, `, "copy": ["Labels"]`+only("b")), desired: map[string]string{"a": tagstest.Thing(`"spec": {"tags": {"ours:a": "1", "b": "2"}}`), "b": tagstest.Thing("")}},
		"NotAString":    {reason: "A value that is no string should be named with the rule, the resource and the path.", rules: from("b", "a") + `, ` + allOfA, desired: map[string]string{"a": labelled(`"x": "1", "n": 1`), "b": tagstest.Thing("")}},
		"Null":          {reason: "A value that is null is no annotation.", rules: allOfA, desired: map[string]string{"a": tagstest.Thing(`"metadata": {"annotations": {"x": null}}`)}},
		"NotAMap":       {reason: "A field of another kind should be named.", rules: of(`, "labelsFieldPath": "spec.list"`, ""), desired: map[string]string{"a": tagstest.Thing(`"spec": {"list": ["x"]}`)}},
		"ThroughString": {reason: "A path through a string should be named.", rules: of(`, "annotationsFieldPath": "spec.text.a"`, ""), desired: map[string]string{"a": tagstest.Thing(`"spec": {"text": "x"}`)}},
		"OnlyWhatIsCopied": {
			reason:  "What isn't copied should not be read, so it may be anything.",
			rules:   of("", `, "copy": ["Labels"]`) + `, ` + of(`, "labelsFieldPath": "kind"`, `, "toFieldPaths": {"annotations": ["spec.notes"]}, "resources": [{"name": "none"}]`),
			desired: map[string]string{"a": tagstest.Thing(`"metadata": {"labels": {"x": "1"}}, "spec": {"text": "x"}`), "b": tagstest.Thing("")},
		},
	}

	g := tagstest.NewGolden(t)

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) { tc.run(t, g) })
	}
}

func TestCopyResources(t *testing.T) {
	// Resources to select from, with what they have beside their kind.
	desired := map[string]string{
		"bucket-a": `{"apiVersion": "s3.example.org/v1beta1", "kind": "Bucket", "metadata": {"labels": {"app": "shop", "tier": "gold"}}, "spec": {"forProvider": {"tags": {"Owner": "me", "env": "prod"}}}}`,
		"bucket-b": `{"apiVersion": "s3.example.org/v1beta2", "kind": "Bucket", "metadata": {"labels": {"app": "shop"}}, "spec": {"forProvider": {"tags": {"Owner": "you", "env": "prod"}}}}`,
		"policy":   `{"apiVersion": "s3.example.org/v1beta1", "kind": "BucketPolicy", "metadata": {"labels": {"app": 1}}, "spec": {"forProvider": {}}}`,
		"config":   `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"labels": {"tier": ""}}, "data": {"Owner": "me"}}`,
		"ignored":  `{"apiVersion": "s3.example.org/v1beta1", "kind": "Bucket", "metadata": {"labels": {"app": "shop"}, "annotations": {"` + target.IgnoreAnnotation + `": "true"}}, "spec": {"forProvider": {"tags": {"Owner": "me"}}}}`,
		"adopted":  `{"apiVersion": "s3.example.org/v1beta1", "kind": "Bucket", "metadata": {"annotations": {"` + target.IgnoreAnnotation + `": "false"}}, "spec": {"managementPolicies": ["Observe"], "forProvider": {"tags": {"Owner": "me"}}}}`,
	}

	cases := map[string]struct {
		reason    string
		resources string
	}{
		"All":              {reason: "By default all resources get it: adopted ones too, since it is nothing of the cloud's, but none that is ignored."},
		"Name":             {reason: "The name is that in the pipeline. A star matches any run of characters.", resources: `{"name": "bucket-*"}`},
		"NameOfIgnored":    {reason: "A resource that is ignored gets nothing, though its name is selected.", resources: `{"name": "ignored"}, {"name": "adopted"}`},
		"NoPrefixOfName":   {reason: "Without a star a name is all of the name.", resources: `{"name": "bucket"}, {"name": "Policy"}`},
		"Kind":             {reason: "A kind is selected with its case.", resources: `{"kind": "Bucket"}, {"kind": "configmap"}`},
		"APIVersion":       {reason: "An apiVersion may have a star anywhere.", resources: `{"apiVersion": "s3.*/v1beta2"}, {"apiVersion": "v1"}`},
		"MatchLabels":      {reason: "Labels are selected by key and value.", resources: `{"matchLabels": {"app": "shop"}}`},
		"AllMatchLabels":   {reason: "A resource must have all labels. One that is empty is not absent.", resources: `{"matchLabels": {"app": "shop", "tier": "gold"}}, {"matchLabels": {"tier": ""}}`},
		"NumberIsNoLabel":  {reason: "A label that isn't a string has no text that could match.", resources: `{"matchLabels": {"app": "1"}}`},
		"MatchTags":        {reason: "Tags are selected where the resource has its tags, though no tag is to be written, and also if it is adopted.", resources: `{"matchTags": {"Owner": "me"}}`},
		"AllMatchTags":     {reason: "A resource must have all tags.", resources: `{"matchTags": {"Owner": "you", "env": "prod"}}, {"matchTags": {"Owner": "me", "env": "test"}}`},
		"OneEntry":         {reason: "All that an entry says must hold.", resources: `{"name": "*-a", "kind": "Bucket", "apiVersion": "s3.*", "matchLabels": {"app": "shop"}, "matchTags": {"Owner": "me"}}`},
		"NotAllOfOneEntry": {reason: "What holds of one entry doesn't help another one.", resources: `{"name": "bucket-a", "kind": "ConfigMap"}, {"name": "bucket-b", "matchTags": {"Owner": "me"}}`},
		"AnyEntry":         {reason: "One entry must hold, and more don't matter.", resources: `{"name": "bucket-a"}, {"kind": "ConfigMap"}, {"kind": "Bucket", "name": "*-a"}`},
	}

	g := tagstest.NewGolden(t)

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			resources := ""
			if tc.resources != "" {
				resources = `, "resources": [` + tc.resources + `]`
			}

			copyCase{
				reason:   tc.reason,
				rules:    `{"source": {"type": "CompositeMetadata"}, "select": {"all": true}, "toFieldPaths": {"labels": ["copied"]}` + resources + `}`,
				metadata: []resolve.Metadata{{Labels: map[string]string{"x": "1"}}},
				desired:  desired,
			}.run(t, g)
		})
	}
}

// TestCopyItems is about fields of all items of lists.
func TestCopyItems(t *testing.T) {
	const rules = `{"source": {"type": "CompositeMetadata"}, "copy": ["Labels"], "select": {"all": true}, "toFieldPaths": {"labels": ["spec.pools[*].metadata.labels"]}}`

	metadata := []resolve.Metadata{{Labels: map[string]string{"x": "1"}}}

	cases := map[string]copyCase{
		"Items":  {reason: "Every item of the list should get the labels beside its own.", rules: rules, metadata: metadata, desired: map[string]string{"r": tagstest.Thing(`"spec": {"pools": [{"name": "a"}, {"name": "b", "metadata": {"labels": {"x": "0", "y": "2"}}}, null]}`)}},
		"Same":   {reason: "A resource whose items all have the labels is not changed.", rules: rules, metadata: metadata, desired: map[string]string{"r": tagstest.Thing(`"spec": {"pools": [{"metadata": {"labels": {"x": "1"}}}]}`)}},
		"NoList": {reason: "Nothing is copied to a list that isn't there or is empty, and no list is made.", rules: rules, metadata: metadata, desired: map[string]string{"r": tagstest.Thing(`"spec": {}`), "s": tagstest.Thing(`"spec": {"pools": []}`), "t": tagstest.Thing(`"spec": {"pools": null}`)}},
		"Object": {reason: "An object has no items, and that should be told.", rules: rules, metadata: metadata, desired: map[string]string{"r": tagstest.Thing(`"spec": {"pools": {"a": {}}}`)}},
		"NoMap":  {reason: "An item that has something else there should be named, and the list be left alone.", rules: rules, metadata: metadata, desired: map[string]string{"r": tagstest.Thing(`"spec": {"pools": [{}, {"metadata": {"labels": "x"}}]}`)}},
	}

	g := tagstest.NewGolden(t)

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) { tc.run(t, g) })
	}
}

// TestCopySelectsFirst is about rules that select by what earlier ones copy.
func TestCopySelectsFirst(t *testing.T) {
	g := tagstest.NewGolden(t)

	copyCase{
		reason: "Resources are selected as earlier steps desire them, whatever earlier rules copy.",
		rules: `{"source": {"type": "CompositeMetadata"}, "select": {"all": true}},
			{"source": {"type": "CompositeMetadata"}, "select": {"all": true}, "resources": [{"matchLabels": {"app": "new"}}]},
			{"source": {"type": "CompositeMetadata"}, "select": {"all": true}, "resources": [{"matchLabels": {"app": "old"}}]}`,
		metadata: []resolve.Metadata{
			{Labels: map[string]string{"app": "new"}},
			{Labels: map[string]string{"second": "x"}},
			{Labels: map[string]string{"third": "x"}},
		},
		desired: map[string]string{"r": tagstest.Thing(`"metadata": {"labels": {"app": "old"}}`)},
	}.run(t, g)
}

// TestCopyBeforeStamp is about resources that get metadata, and tags.
func TestCopyBeforeStamp(t *testing.T) {
	in, err := v1beta1.Decode(resource.MustStructJSON(`{
		"apiVersion": "cloudtags.fn.plexsphere.com/v1beta1", "kind": "CloudTags", "provider": {"value": "aws"},
		"sources": [{"type": "Value", "values": {"team": "a"}}],
		"resources": [{"kind": "Thing"}],
		"kubernetesMetadata": [
			{"source": {"type": "CompositeMetadata"}, "select": {"all": true}, "copy": ["Labels"]},
			{"source": {"type": "ComposedResource", "name": "a", "labelsFieldPath": "spec.forProvider.tags"}, "select": {"all": true}, "copy": ["Labels"]}
		]
	}`))
	if err != nil {
		t.Fatal(err)
	}

	s := &stamp.Stamper{
		Finder: target.Finder{
			Input:  in,
			Fields: byProfile,
		},
		Transformer: tags.NewTransformer([]tags.Label{{QualifiedKey: "team", TagKey: "team", Value: "a"}}, nil),
	}

	desired := map[string]string{
		"a": tagstest.Thing(`"spec": {"forProvider": {"tags": {"env": "prod"}}}`),
		"b": tagstest.Thing(`"spec": {"managementPolicies": ["Observe"], "forProvider": {}}`),
		"c": tagstest.Thing(`"metadata": {"annotations": {"` + target.IgnoreAnnotation + `": "true"}}, "spec": {"forProvider": {}}`),
		"d": `{"apiVersion": "example.org/v1", "kind": "Other", "spec": {"forProvider": {}}}`,
		"e": tagstest.Thing(`"data": {}`),
	}

	const labels = `"metadata": {"labels": {"app": "shop", "env": "prod"}}`

	want := make(map[string]object.Object)

	for name, j := range map[string]string{
		"a": tagstest.Thing(labels + `, "spec": {"forProvider": {"tags": {"env": "prod", "team": "a"}}}`),
		"b": tagstest.Thing(labels + `, "spec": {"managementPolicies": ["Observe"], "forProvider": {}}`),
		"d": `{"apiVersion": "example.org/v1", "kind": "Other", ` + labels + `, "spec": {"forProvider": {}}}`,
		"e": tagstest.Thing(labels + `, "data": {}`),
	} {
		want[name] = object.Tree(resource.MustStructJSON(j))
	}

	resources := tagstest.Resources(desired)
	targets := targetsOf(t, s, resources)
	copies := Select([]resolve.Metadata{{Rule: &in.KubernetesMetadata[0], Labels: map[string]string{"app": "shop"}}, {Rule: &in.KubernetesMetadata[1]}}, targets)

	got, err := copies.Copy(t.Context())
	if err != nil {
		t.Fatalf("Copy(...): %v", err)
	}

	targets.Copied(got.Changed)

	out, err := s.Stamp(t.Context(), targets)
	if err != nil {
		t.Fatalf("Stamp(...): %v", err)
	}

	if diff := cmp.Diff(want, out.Changed, protocmp.Transform(), cmp.Transformer("tree", object.Object.Struct), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("\nMetadata should be copied before tags are stamped, and also to resources that aren't tagged.\nStamp(...): -want, +got:\n%s", diff)
	}

	if diff := cmp.Diff(tagstest.Resources(desired), resources, protocmp.Transform()); diff != "" {
		t.Errorf("\nWhat is desired should not be changed.\nCopy(...): -before, +after:\n%s", diff)
	}
}

// TestCopyTooMuch is about metadata that many items get.
func TestCopyTooMuch(t *testing.T) {
	in, err := v1beta1.Decode(resource.MustStructJSON(`{
		"apiVersion": "cloudtags.fn.plexsphere.com/v1beta1", "kind": "CloudTags",
		"kubernetesMetadata": [{"source": {"type": "CompositeMetadata"}, "select": {"all": true}, "copy": ["Annotations"], "toFieldPaths": {"annotations": ["spec.pools[*].annotations"]}}]
	}`))
	if err != nil {
		t.Fatal(err)
	}

	cases := map[string]struct {
		reason string
		size   int
		err    error
	}{
		"Fits":    {reason: "What a response may have is copied.", size: maxCopied/100 - len("note")},
		"TooMuch": {reason: "One byte more in each item is refused, and nothing written.", size: maxCopied/100 - len("note") + 1, err: ErrTooLarge},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			desired := tagstest.Resources(map[string]string{"a": tagstest.Thing(`"spec": {"pools": [` + strings.Repeat(`{},`, 99) + `{}]}`)})
			targets := targetsOf(t, &stamp.Stamper{Finder: target.Finder{Input: in, Fields: byProfile}, Transformer: tags.NewTransformer(nil, nil)}, desired)

			copies := Select([]resolve.Metadata{{Rule: &in.KubernetesMetadata[0], Annotations: map[string]string{"note": strings.Repeat("x", tc.size)}}}, targets)

			out, err := copies.Copy(t.Context())
			if !errors.Is(err, tc.err) || (err == nil) != (out != nil) {
				t.Errorf("\n%s\nCopy(...): got %v, %v", tc.reason, out, err)
			}
		})
	}

	targets := targetsOf(t, &stamp.Stamper{Finder: target.Finder{Input: in, Fields: byProfile}, Transformer: tags.NewTransformer(nil, nil)}, tagstest.Resources(map[string]string{"a": tagstest.Thing(``)}))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	copies := Select([]resolve.Metadata{{Rule: &in.KubernetesMetadata[0], Annotations: map[string]string{"note": "x"}}}, targets)
	if _, err := copies.Copy(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Copy(...) for a client that has gone: want the error of the context, got %v", err)
	}
}
