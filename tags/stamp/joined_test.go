package stamp

import (
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
	"github.com/plexsphere/function-cloud-tags/tags/target"
)

func TestStampJoined(t *testing.T) {
	cases := map[string]situation{
		"NoSpec":              {reason: "Objects that are missing on the way to the field are made.", spec: `null`},
		"Absent":              {reason: "A field that is absent is made.", spec: `{"other": true}`},
		"Null":                {reason: "A field that is null is absent.", spec: `{"tags": null}`},
		"Empty":               {reason: "An empty field gets our tags.", spec: `{"tags": ""}`},
		"Space":               {reason: "A field of nothing but space, too.", spec: `{"tags": " , "}`},
		"Opaque":              {reason: "What is no tag stays as it is, in its order, before our tags.", spec: `{"tags": "z=1, public ,= ,=x,\n y = 2,ours:a,xours:a=9,OURS:A=9,public"}`},
		"SameValue":           {reason: "A tag that is there already keeps its place.", spec: `{"tags": "ours:a=1,public"}`},
		"AllThere":            {reason: "A resource that has all the tags already does not change, whatever their order and the space around them.", spec: `{"tags": "ours:b=2 , ours:a = 1,,"}`},
		"OtherValue":          {reason: "The policy says which of two values a tag has. It keeps its place.", spec: `{"tags": "x,ours:a=9, y"}`},
		"ValueWithSeparator":  {reason: "What follows the key and the separator is the value, with every separator in it.", spec: `{"tags": "ours:a=1=,ours:b==2"}`},
		"EmptyValue":          {reason: "Nothing after the separator is an empty value.", spec: `{"tags": "ours:a="}`},
		"EmptyEntries":        {reason: "Empty entries are none: drivers fail at them.", spec: `{"tags": ",x=1,, y=2, ,"}`},
		"Duplicates":          {reason: "Of several entries of a key, the first stands for all. Replacing leaves one.", spec: `{"tags": "x,ours:a=8,y,ours:a=9,ours:a=1,z"}`},
		"DuplicatesFirstSame": {reason: "Replacing leaves only our value, also where another one follows it.", spec: `{"tags": "ours:a=1,ours:a=9,ours:b=2"}`},
		"OthersDuplicates":    {reason: "Several entries of a key that is not ours are not ours to clean up.", spec: `{"tags": "x=1,x=2"}`},
		"Escaped":             {reason: "A delimiter behind a backslash is in the entry.", spec: `{"tags": "x=1\\,ours:a=2,y=\\\\,ours:a=9"}`},
		"EscapesWhatFollows":  {reason: "What would make one entry of its last one and ours is left alone.", spec: `{"tags": "x=1\\"}`},
		"Map":                 {reason: "A map is left alone.", spec: `{"tags": {"ours:a": "1"}}`},
		"List":                {reason: "A list is left alone.", spec: `{"tags": ["ours:a=1"]}`},
		"Number":              {reason: "A number is left alone.", spec: `{"tags": 1}`},
		"SpecIsString":        {reason: "What has no fields is left alone.", spec: `"text"`},
	}

	runBy(t, cases, shapes["Joined"].withDelimiter(","))
}

// withDelimiter returns the field with the supplied delimiter.
func (s shape) withDelimiter(delimiter string) field.Field {
	f := s.field
	f.Delimiter = delimiter

	return f
}

// TestStampJoinedRefused tests labels that would not be read as they were written.
func TestStampJoinedRefused(t *testing.T) {
	by := func(separator, delimiter string) field.Field {
		f := shapes["Joined"].withDelimiter(delimiter)
		f.Separator = separator

		return f
	}

	keyed := func(keys ...string) []tags.Label {
		out := make([]tags.Label, 0, len(keys))
		for _, key := range keys {
			out = append(out, label(key, "1"))
		}

		return out
	}

	valued := func(values ...string) []tags.Label {
		out := make([]tags.Label, 0, len(values))
		for i, value := range values {
			out = append(out, label(strings.Repeat("k", i+1), value))
		}

		return out
	}

	cases := map[string]situation{
		"Keys":              {reason: "A key with something in it that ends it, or the value, is skipped.", provider: "openstack", field: by("=", ","), labels: keyed("a", "a=b", "a,b", `a\b`, "a ", " a", "a b", "=", "a;b")},
		"Values":            {reason: "So is such a value.", provider: "openstack", field: by("=", ","), labels: valued("1", "", "a=b", "a,b", `a\b`, `\`, " a", "a ", "a b", "a;b", "a:b")},
		"LongOnes":          {reason: "What is long counts as a whole.", provider: "openstack", field: by(": ", "; "), labels: append(keyed("a:", "a;", "a: b", "a; b"), valued("1:", "1;", ": 1", "; 1")...)},
		"RepeatedSeparator": {reason: "A key must not end with the beginning of a separator that could be read from there.", provider: "openstack", field: by("::", ","), labels: append(keyed("a:"), valued(":1")...)},
		"RepeatedDelimiter": {reason: "And a value not with that of a delimiter.", provider: "openstack", field: by("=", ",,"), labels: append(keyed("a,"), valued(",1", "1,")...)},
		"EndsLikeDelimiter": {reason: "Another's last entry that ends so is left alone.", provider: "openstack", field: by("=", ",,"), labels: keyed("a"), spec: `{"tags": "x=1,"}`},
		"AcrossSeparator":   {reason: "A separator and what is around it must not be a delimiter.", provider: "openstack", field: by("ab", "bc"), labels: valued("cd", "1")},
		"Reserved":          {reason: "A reserved key that would be read is skipped as such.", provider: "openstack", field: by("=", ","), reserved: []string{"zone"}, labels: keyed("zone=a", "team")},
		"Profile":           {reason: "What the profile refuses is not asked about here.", field: by("=", ","), labels: keyed("a=b", "a,b")},
	}

	runPlain(t, cases)
}

// TestStampMetadataRefused tests labels that the API server would refuse as metadata.
func TestStampMetadataRefused(t *testing.T) {
	at := func(path string) field.Field {
		f := shapes["Map"].field
		f.Path = object.MustParsePath(path)

		return f
	}

	formats := map[string]profile.Format{"openstack": profile.NewFormat(new(""), nil, false)}

	var labels []tags.Label
	for _, key := range []string{"team", "a/team", "A/team", "a/b/c", "plexsphere:x", "crossplane.io/composite", "a.crossplane.io/x", "kubectl.kubernetes.io/x", strings.Repeat("k", 64)} {
		labels = append(labels, tags.Label{QualifiedKey: key, TagKey: key, Value: "a b", Unprefixed: true}, tags.Label{QualifiedKey: "v" + key, TagKey: "v" + key, Value: "a"})
	}

	cases := map[string]situation{
		"Labels":      {reason: "Keys and values of labels are Kubernetes' own.", field: at("spec.template.metadata.labels")},
		"Annotations": {reason: "And keys of annotations, while their values can be anything.", field: at("spec.template.metadata.annotations")},
		"Others":      {reason: "What is only called so is not.", field: at("spec.template.labels")},
	}

	runAll(t, cases, func(t *testing.T, g *tagstest.Golden, tc situation) {
		t.Helper()

		tc.provider, tc.formats, tc.labels = "openstack", formats, labels
		tc.run(t, g)
	})
}

// TestStampJoinedInOrder tests what stays, and what is gone.
func TestStampJoinedInOrder(t *testing.T) {
	f := shapes["Joined"].withDelimiter(",")
	f.Path = object.MustParsePath("spec.parameters.tags")

	cases := map[string]situation{
		"LastRemoved":   {reason: "A string of which nothing is left goes, and with it the object around it, which would be empty.", field: f, remove: keys("x"), spec: `{"parameters": {"tags": "x=1"}}`},
		"OthersRemain":  {reason: "An object with other fields stays.", field: f, remove: keys("x"), spec: `{"parameters": {"tags": " x = 1,", "type": "ssd"}}`},
		"OpaqueRemains": {reason: "A string in which nobody knows a tag stays.", field: f, remove: keys("*"), spec: `{"parameters": {"tags": "x=1,public,=2"}}`},
		"Nothing":       {reason: "Nothing is made for nothing.", field: f, remove: keys("x"), spec: `{"parameters": {}}`},
		"EmptyStays":    {reason: "What an earlier step left empty stays so.", field: f, remove: keys("x"), spec: `{"parameters": {"tags": ""}}`},
		"Providers":     {reason: "Server-side apply replaces the string, so that what a provider has put into it is kept, and nothing else.", field: f, labels: []tags.Label{label("a", "1")}, spec: `{"parameters": {"tags": "x=1"}}`, observedSpec: `{"parameters": {"tags": "crossplane-kind=thing,old=1,crossplane-x=2,crossplane-name = n"}}`},
		"ProvidersOnly": {reason: "It isn't made for the provider's alone.", field: f, spec: `{}`, observedSpec: `{"parameters": {"tags": "crossplane-kind=thing"}}`},
	}

	runPlain(t, cases)
}

// TestStampMetadata tests tags in annotations and labels of the object.
func TestStampMetadata(t *testing.T) {
	const key = "service.beta.kubernetes.io/aws-load-balancer-additional-resource-tags"

	joined := shapes["Joined"].withDelimiter(",")
	joined.Path = object.MustParsePath("metadata.annotations[" + key + "]")

	all := shapes["Map"].field
	all.Path = object.MustParsePath("metadata.annotations")

	cases := map[string]struct {
		reason   string
		field    field.Field
		metadata string
		remove   string
	}{
		"NoMetadata":    {reason: "Metadata that is missing is made.", field: joined},
		"NoAnnotations": {reason: "And so are annotations, beside what there is.", field: joined, metadata: `{"name": "x", "labels": {"a": "b"}}`},
		"Others":        {reason: "Other annotations stay.", field: joined, metadata: `{"annotations": {"a": "b", "` + key + `": "x=1"}}`},
		"LastRemoved":   {reason: "Annotations of which none is left go, but not the metadata.", field: joined, metadata: `{"annotations": {"` + key + `": "ours:a=1"}}`, remove: "ours:*"},
		"OneRemoved":    {reason: "Others stay then, too.", field: joined, metadata: `{"annotations": {"a": "b", "` + key + `": "ours:a=1"}}`, remove: "ours:*"},
		"Map":           {reason: "All annotations can be tags.", field: all, metadata: `{"annotations": {"a": "b"}}`},
		"NoString":      {reason: "What is no string is left alone.", field: joined, metadata: `{"annotations": {"` + key + `": 1}}`},
		"NoMap":         {reason: "What has no fields is left alone.", field: joined, metadata: `{"annotations": "x"}`},
	}

	g := tagstest.NewGolden(t)

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := situation{labels: []tags.Label{label("a", "1"), label("b", "2")}}

			// Keys of annotations have no colon.
			if tc.field.Shape == field.Map {
				s.formats = map[string]profile.Format{"aws": profile.NewFormat(nil, map[string]string{":": "_"}, false)}
			}

			if tc.remove != "" {
				s.remove = keys(tc.remove)
			}

			metadata := ""
			if tc.metadata != "" {
				metadata = `, "metadata": ` + tc.metadata
			}

			r := resource.MustStructJSON(`{"apiVersion": "v1", "kind": "Service"` + metadata + `, "spec": {}}`)
			check(t, g, tc.reason, s.stamper(tc.field), map[string]*fnv1.Resource{"r": {Resource: r}})
		})
	}
}

// TestStampAsked tests rules that ask for the field that is known of a kind.
func TestStampAsked(t *testing.T) {
	cases := map[string]struct {
		reason     string
		apiVersion string
		kind       string
		spec       string
		pattern    string
	}{
		"Known":      {reason: "The field of a kind that is tagged anyway is the same.", apiVersion: "s3.aws.upbound.io/v1beta1", kind: "Bucket", spec: `{"forProvider": {}}`},
		"None":       {reason: "A kind that is known to have no field has none.", apiVersion: "ec2.aws.upbound.io/v1beta1", kind: "Route", spec: `{"forProvider": {}}`},
		"Kubernetes": {reason: "So has what is no resource of a cloud.", apiVersion: "v1", kind: "Service", spec: `{}`},
		"Usual":      {reason: "Of a provider that is known, it's the usual one.", apiVersion: "new.aws.upbound.io/v1", kind: "Thing", spec: `{"forProvider": {}}`},
		"Unknown":    {reason: "Of a kind of which nothing is known, the rule has to say all.", apiVersion: "example.org/v1", kind: "Thing", spec: `{"forProvider": {}}`},
		"Unmanaged":  {reason: "Whether a provider manages it or not.", apiVersion: "example.org/v1", kind: "Thing", spec: `{"size": 1}`},
		"OtherRule":  {reason: "Of a kind of another rule, it has not.", apiVersion: "example.org/v1", kind: "Nested", spec: `{"size": 1}`, pattern: "Thing"},
	}

	g := tagstest.NewGolden(t)

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if tc.pattern == "" {
				tc.pattern = "*"
			}

			rules := field.NewRules([]v1beta1.TagField{
				{APIVersion: profile.NewPattern("*"), Kind: profile.NewPattern(tc.pattern), Provider: "hetzner"},
				{APIVersion: profile.NewPattern("*"), Kind: profile.NewPattern("Thing"), Shape: field.None}, // The first one wins.
			})

			s := &Stamper{
				Finder: target.Finder{
					Input:  &v1beta1.CloudTags{Sources: []v1beta1.Source{{}}},
					Fields: fixed(field.Chain{rules, field.BuiltIn(), field.ByProfile{}}),
				},
				Transformer: transformer(label("a", "1")),
			}
			check(t, g, tc.reason, s, tagstest.Resources(map[string]string{"r": `{"apiVersion": "` + tc.apiVersion + `", "kind": "` + tc.kind + `", "spec": ` + tc.spec + `}`}))
		})
	}
}

// TestStampFixedParameters tests classes, whose parameters can't change once they are there.
func TestStampFixedParameters(t *testing.T) {
	rules := field.NewRules([]v1beta1.TagField{{
		APIVersion: profile.NewPattern("*"), Kind: profile.NewPattern("*Class"), Shape: field.Joined, FieldPath: object.MustParsePath("parameters.labels"),
		Provider: "gcp", Joined: &v1beta1.Joined{Separator: "=", Delimiter: ","},
	}})

	class := func(apiVersion, kind, parameters string) string {
		return `{"apiVersion": "` + apiVersion + `", "kind": "` + kind + `", "provisioner": "pd.csi.storage.gke.io", "parameters": ` + parameters + `}`
	}

	cases := map[string]struct {
		reason     string
		apiVersion string
		kind       string
		observed   string
	}{
		"New":           {reason: "A class that isn't there yet is made with tags.", apiVersion: "storage.k8s.io/v1", kind: "StorageClass"},
		"Same":          {reason: "One that was made with these has them.", apiVersion: "storage.k8s.io/v1", kind: "StorageClass", observed: `{"labels": "x=1,ours_a=1", "type": "pd-ssd"}`},
		"Without":       {reason: "One that was made without keeps none.", apiVersion: "storage.k8s.io/v1", kind: "StorageClass", observed: `{"type": "pd-ssd"}`},
		"Other":         {reason: "One that was made with others keeps these.", apiVersion: "storage.k8s.io/v1", kind: "StorageClass", observed: `{"labels": "x=1,ours_a=0", "type": "pd-ssd"}`},
		"SnapshotClass": {reason: "A class that can change does.", apiVersion: "snapshot.storage.k8s.io/v1", kind: "VolumeSnapshotClass", observed: `{"labels": "x=1,ours_a=0", "type": "pd-ssd"}`},
	}

	g := tagstest.NewGolden(t)

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := &Stamper{
				Finder: target.Finder{
					Input:  &v1beta1.CloudTags{Sources: []v1beta1.Source{{}}},
					Fields: fixed(field.Chain{rules, field.BuiltIn(), field.ByProfile{}}),
				},
				Transformer: transformer(label("a", "1")),
			}

			if tc.observed != "" {
				s.Observed = tagstest.Resources(map[string]string{"r": class(tc.apiVersion, tc.kind, tc.observed)})
			}

			check(t, g, tc.reason, s, tagstest.Resources(map[string]string{"r": class(tc.apiVersion, tc.kind, `{"labels": "x=1", "type": "pd-ssd"}`)}))
		})
	}
}
