package policy

import (
	"bytes"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/version"
	"pgregory.net/rapid"

	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// prefix of the labels and annotations of most cases.
const prefix = "tags.example.org/"

// command returns the command that the supplied arguments are for.
func command(tb rapid.TB, args ...string) *Command {
	tb.Helper()

	c := &Command{}

	if err := tagstest.ParseArgs(tb, c, args); err != nil {
		tb.Fatal(err)
	}

	return c
}

// output of the command for the supplied standard input.
func output(tb rapid.TB, in string, args ...string) []byte {
	tb.Helper()

	out := &bytes.Buffer{}
	if err := command(tb, args...).run(strings.NewReader(in), out); err != nil {
		tb.Fatal(err)
	}

	return out.Bytes()
}

// compositionOf returns a Composition of Zones with a step that has the supplied
// fields of an input.
func compositionOf(input string) string {
	return `
apiVersion: apiextensions.crossplane.io/v1
kind: Composition
metadata: {name: zone}
spec:
  compositeTypeRef: {apiVersion: platform.example.org/v1alpha1, kind: Zone}
  mode: Pipeline
  pipeline:
  - step: make-resources
    functionRef: {name: function-other}
    input: {apiVersion: other.example.org/v1, kind: Resources}
  - step: tags
    functionRef: {name: function-cloud-tags}
    input: {apiVersion: cloudtags.fn.plexsphere.com/v1beta1, kind: CloudTags, ` + input + `}
`
}

// hierarchy is the input of a platform whose own tags come from the organization.
const hierarchy = `keyPrefix: "", reservedKeys: [workspace, zone, "entigo:*", cost*], reservedTags: {aws: 3}, provider: {value: aws}, sources: [
	{type: RequiredResource, prefix: tags.example.org/, trusted: true, resource: {apiVersion: platform.example.org/v1alpha1, kind: Organization, name: {value: acme}}},
	{type: RequiredResource, prefix: tags.example.org/, resource: {apiVersion: v1, kind: Namespace, name: {fromFieldPath: metadata.namespace}}},
	{type: CompositeMetadata, prefix: tags.example.org/}
]`

// resources by kind.
var resources = map[string]schema.GroupVersionResource{
	"Namespace":    {Version: "v1", Resource: "namespaces"},
	"ConfigMap":    {Version: "v1", Resource: "configmaps"},
	"Zone":         {Group: "platform.example.org", Version: "v1alpha1", Resource: "zones"},
	"Gateway":      {Group: "platform.example.org", Version: "v1alpha1", Resource: "gateways"},
	"Organization": {Group: "platform.example.org", Version: "v1alpha1", Resource: "organizations"},
}

// object returns an object of the supplied kind with the supplied labels and
// annotations, whose keys get the usual prefix unless they start in the same way.
func object(kind string, labels, annotations map[string]string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(resources[kind].GroupVersion().WithKind(kind))
	o.SetName("x")

	if kind == "ConfigMap" {
		o.SetNamespace("default")
	}

	prefixed := func(of map[string]string) map[string]string {
		out := make(map[string]string, len(of))

		for k, v := range of {
			if !strings.Contains(k, "/") && !strings.HasPrefix(k, "tags") {
				k = prefix + k
			}

			out[k] = v
		}

		return out
	}

	if labels != nil {
		o.SetLabels(prefixed(labels))
	}

	if annotations != nil {
		o.SetAnnotations(prefixed(annotations))
	}

	return o
}

// set returns so many keys.
func set(n int) map[string]string {
	out := make(map[string]string, n)
	for i := range n {
		out[fmt.Sprintf("k%03d", i)] = "v"
	}

	return out
}

// with returns both.
func with(a, b map[string]string) map[string]string {
	out := maps.Clone(a)
	maps.Copy(out, b)

	return out
}

type kv = map[string]string

// An admissionCase is an object and what becomes of it.
type admissionCase struct {
	reason string

	kind        string // Namespace by default.
	labels      kv
	annotations kv
	subresource string

	// The object before the update, if it is one.
	oldLabels, oldAnnotations kv
	update                    bool

	// want is what the message has. It is empty if the object is admitted.
	want string
}

// An admissionPolicy is a policy and cases of it.
type admissionPolicy struct {
	args  []string
	in    string
	cases map[string]admissionCase
}

// requiredPolicies are those of --required.
var requiredPolicies = map[string]admissionPolicy{
	"Required": {
		args: []string{"--composition", "-", "--provider", "aws", "--provider", "gcp", "--required"},
		in: compositionOf(`tagPolicy: {rules: [{key: owner}, {key: "plexsphere:cost/center"}, {key: note, required: false}, {key: some, resources: [{name: x}]}, {key: team}, {key: both}, {key: zone}, {key: fixed}, {key: excepted}]}, reservedKeys: [zone], sources: [
			{type: Value, values: {fixed: x}},
			{type: CompositeMetadata, prefix: tags.example.org/, include: {except: [team, excepted]}},
			{type: CompositeMetadata, prefix: tag-keys.example.org/, keyForm: Tag, include: {keys: [owner, "cost/*"]}},
			{type: RequiredResource, prefix: tags.example.org/, include: {keys: [team, both]}, resource: {apiVersion: v1, kind: Namespace, name: {fromFieldPath: metadata.namespace}}},
			{type: RequiredResource, prefix: tags.example.org/, include: {keys: [excepted]}, resource: {apiVersion: v1, kind: ConfigMap, matchLabels: {value: {a: b}}}}
		]`),
		cases: map[string]admissionCase{
			"Lacks":           {reason: "An object without a label for a required tag should be refused, with the key.", kind: "Zone", want: `There must be a label or annotation tags.example.org/owner or tag-keys.example.org/owner: tagPolicy requires the tag "owner"`},
			"Label":           {reason: "A label that becomes the tag should do.", kind: "Zone", labels: kv{"owner": "me"}},
			"Annotation":      {reason: "So should an annotation.", kind: "Zone", annotations: kv{"owner": "me"}},
			"Empty":           {reason: "A tag can have an empty value.", kind: "Zone", labels: kv{"owner": ""}},
			"OtherCase":       {reason: "A key of another spelling should not do, since the tag policy says so, too.", kind: "Zone", labels: kv{"Owner": "me"}, want: "tags.example.org/owner"},
			"OtherSource":     {reason: "What another source reads should do if it comes to the same tag on all providers.", kind: "Zone", annotations: kv{"tag-keys.example.org/owner": "me"}},
			"OtherKind":       {reason: "Another kind needs other labels.", labels: kv{"owner": "me"}, want: `There must be a label or annotation tags.example.org/team: tagPolicy requires the tag "team"`},
			"Namespace":       {reason: "What a source reads from a namespace alone, a namespace must have.", labels: kv{"team": "a"}},
			"NotRequired":     {reason: "Objects that may be one of several need no label.", kind: "ConfigMap"},
			"UpdateLacked":    {reason: "An object that had no such label before may go on without.", kind: "Zone", update: true, labels: kv{"x": "y"}},
			"UpdateRemoves":   {reason: "An object that had one should keep it.", kind: "Zone", update: true, oldLabels: kv{"owner": "me"}, want: "tags.example.org/owner"},
			"UpdateMoves":     {reason: "It can become an annotation.", kind: "Zone", update: true, oldLabels: kv{"owner": "me"}, annotations: kv{"owner": "me"}},
			"UpdateUnrelated": {reason: "Other changes should be admitted.", kind: "Zone", update: true, oldLabels: kv{"owner": "me"}, labels: kv{"owner": "me", "a": "b"}},
		},
	},
	"RequiredValues": {
		args: []string{"--composition", "-", "--provider", "aws", "--provider", "gcp", "--required"},
		in:   compositionOf(`keyPrefix: "", valueFormats: [{provider: gcp, lowercase: true, replace: {".": "-"}}], tagPolicy: {rules: [{key: env, required: false, values: [prod, "st*g-*", "a.b", a-b]}]}, sources: [{type: CompositeMetadata, prefix: tags.example.org/}]`),
		cases: map[string]admissionCase{
			"Lacks":           {reason: "A tag that isn't required may be missing.", kind: "Zone"},
			"Exact":           {reason: "A value that is allowed should be admitted.", kind: "Zone", labels: kv{"env": "prod"}},
			"Star":            {reason: "A * matches any run of characters.", kind: "Zone", labels: kv{"env": "stag-1"}},
			"Formatted":       {reason: "Values count as the providers get them.", kind: "Zone", labels: kv{"env": "a.b"}},
			"Other":           {reason: "Another value should be refused.", kind: "Zone", labels: kv{"env": "prods"}, want: `The value of the tag "env" is not one that tagPolicy allows: prod, st*g-*, a.b, a-b`},
			"Case":            {reason: "Values are compared with case.", kind: "Zone", labels: kv{"env": "Prod"}, want: "tagPolicy allows"},
			"OtherKey":        {reason: "Other tags may have any value.", kind: "Zone", labels: kv{"envs": "x"}},
			"UpdateUnchanged": {reason: "A value that was there before may stay.", kind: "Zone", update: true, oldLabels: kv{"env": "x"}, labels: kv{"env": "x", "a": "b"}},
			"UpdateChanged":   {reason: "It may not become another that isn't allowed.", kind: "Zone", update: true, oldLabels: kv{"env": "x"}, labels: kv{"env": "y"}, want: "tagPolicy allows"},
		},
	},
	"RequiredFormatted": {
		args: []string{"--composition", "-", "--provider", "gcp", "--provider", "azure", "--required"},
		in:   compositionOf(`keyPrefix: "", tagPolicy: {rules: [{key: cost.center}]}, sources: [{type: CompositeMetadata, prefix: tags.example.org/}]`),
		cases: map[string]admissionCase{
			"Lacks":     {reason: "An object without the label should be refused.", kind: "Zone", want: "tags.example.org/cost.center"},
			"Same":      {reason: "The label of the key should do.", kind: "Zone", labels: kv{"cost.center": "a"}},
			"Formatted": {reason: "So should one that the providers make the same tag of.", kind: "Zone", labels: kv{"Cost.Center": "a"}},
			"Other":     {reason: "It must be the tag of all providers.", kind: "Zone", labels: kv{"cost_center": "a"}, want: "tags.example.org/cost.center"},
		},
	},
}

func TestAdmission(t *testing.T) {
	k := func(n int) string { return strings.Repeat("k", n) }
	e := func(n int) string { return strings.Repeat("é", n) }

	reserved := profile.Of("aws").Limit(profile.ReservedKey)

	const (
		strictLimit = "ASCII letters and digits and - _ . : /"
		gcpValues   = "value-character-class (allowed: letters without case or in lower case, numbers, _ and -)"
	)

	policies := map[string]admissionPolicy{
		"AWS": {
			args: []string{"--provider", "aws", "--prefix", prefix, "--match", "v1/Namespace"},
			cases: map[string]admissionCase{
				"Nothing":         {reason: "An object without labels and annotations should be admitted."},
				"Label":           {reason: "A label that becomes a tag should be admitted.", labels: kv{"team": "platform-eng", "Cost.Center_1": "CC-12345"}},
				"Annotation":      {reason: "An annotation can have what a label can't, and should be admitted.", annotations: kv{"project": "Project Phoenix - Q2 2026: \"é\" 日本\n!"}},
				"OtherPrefix":     {reason: "Labels without the prefix are not the policy's.", annotations: kv{"other.example.org/x": strings.Repeat("v", 1000), "sub.tags.example.org/x": strings.Repeat("v", 1000)}},
				"Value256":        {reason: "A value of 256 characters should be admitted, however many bytes they are.", annotations: kv{"a": e(256)}},
				"Value257":        {reason: "A value of 257 characters should be refused, with key, value, rule and limit.", annotations: kv{"a": strings.Repeat("v", 257)}, want: `annotation tags.example.org/a = "` + strings.Repeat("v", 64) + `…" cannot be the aws tag plexsphere:a: value-too-long (at most 256 characters)`},
				"Quoted":          {reason: "A message is one line, or it isn't shown, so a value of several lines should be quoted.", annotations: kv{"a": "x\n\"y\"" + strings.Repeat("v", 257)}, want: `annotation tags.example.org/a = "x\n\"y\"` + strings.Repeat("v", 59) + `…" cannot be the aws tag plexsphere:a: value-too-long (at most 256 characters)`},
				"Both":            {reason: "A label should be looked at even if an annotation takes its place, which could go away.", labels: kv{"a": "x"}, annotations: kv{"a": "x y"}},
				"SeveralMistakes": {reason: "A message should name several mistakes, and count those that it doesn't.", annotations: kv{"a": e(257), "b": e(258), "c": e(259), "d": e(260), "f": e(261)}, want: "; and 2 more"},
				"ThreeMistakes":   {reason: "A message should name three mistakes.", annotations: kv{"a": e(257), "b": e(258), "c": e(259)}, want: "aws tag plexsphere:c: value-too-long (at most 256 characters)"},
				"ProvidersKey":    {reason: "The key is different from that of Crossplane's providers if it has a prefix.", labels: kv{"crossplane-kind": "x"}},
				"OtherKind":       {reason: "Kinds that are not named should be admitted.", kind: "ConfigMap", annotations: kv{"a": e(257)}},
				"Status":          {reason: "A namespace's labels can be changed by way of its status.", subresource: "status", update: true, annotations: kv{"a": e(257)}, want: "value-too-long"},
				"Finalize":        {reason: "A namespace's labels can be changed by way of its finalizers.", subresource: "finalize", update: true, annotations: kv{"a": e(257)}, want: "value-too-long"},

				"Count50":              {reason: "As many keys as a resource may have tags should be admitted.", labels: set(50)},
				"Count51":              {reason: "More keys should be refused, with the limit.", labels: set(51), want: "51 keys under tags.example.org/ cannot all be aws tags: count-cap (at most 50 tags on a resource)"},
				"CountTogether":        {reason: "Labels and annotations should be counted together.", labels: set(50), annotations: kv{"other": "x"}, want: "51 keys"},
				"CountBoth":            {reason: "A key of a label and an annotation should be counted once.", labels: set(50), annotations: set(50)},
				"CountOthers":          {reason: "Keys without the prefix should not be counted.", labels: with(set(50), kv{"other.example.org/x": "y"})},
				"UpdateCountAsBefore":  {reason: "An object that had too many keys before there was a policy should stay as it is.", update: true, oldLabels: set(60), labels: with(set(60), kv{"k000": "new"})},
				"UpdateCountLess":      {reason: "An object that had too many keys should be free to get rid of some.", update: true, oldLabels: set(60), labels: set(55)},
				"UpdateCountMore":      {reason: "An object that had too many keys should not get more.", update: true, oldLabels: set(60), labels: set(61), want: "61 keys"},
				"UpdateCountTooMany":   {reason: "An object should not get too many keys.", update: true, oldLabels: set(50), labels: set(51), want: "51 keys"},
				"UpdateUnchanged":      {reason: "A label that was bad before there was a policy should not hinder an update.", update: true, oldAnnotations: kv{"a": e(257)}, annotations: kv{"a": e(257), "b": "x"}},
				"UpdateNothing":        {reason: "An update that doesn't touch labels should be admitted, e.g. one that removes a finalizer.", update: true, oldAnnotations: kv{"a": e(257)}, annotations: kv{"a": e(257)}},
				"UpdateRemoved":        {reason: "A bad label can be removed.", update: true, oldAnnotations: kv{"a": e(257)}, annotations: kv{}},
				"UpdateAllRemoved":     {reason: "All labels can be removed.", update: true, oldLabels: set(60), oldAnnotations: kv{"a": e(257)}},
				"UpdateChanged":        {reason: "A bad label that is changed should be refused if it stays bad.", update: true, oldAnnotations: kv{"a": e(257)}, annotations: kv{"a": e(258)}, want: "value-too-long"},
				"UpdateAdded":          {reason: "A bad label that is added should be refused.", update: true, oldLabels: kv{"b": "x"}, labels: kv{"b": "x"}, annotations: kv{"a": e(257)}, want: "value-too-long"},
				"UpdateFromNothing":    {reason: "A bad label should be refused if there were none at all.", update: true, annotations: kv{"a": e(257)}, want: "value-too-long"},
				"UpdateToEmptyAllowed": {reason: "A value can become empty.", update: true, oldLabels: kv{"a": "x"}, labels: kv{"a": ""}},
			},
		},
		"AWSWithoutPrefix": {
			args: []string{"--provider", "AWS", "--prefix", prefix, "--prefix", "aws", "--key-prefix", "", "--reserved-key", "workspace", "--reserved-key", "entigo*", "--reserved-tags", "aws=47", "--match", "v1/Namespace"},
			cases: map[string]admissionCase{
				"Reserved":          {reason: "A reserved key should be refused, with key, value, rule and limit.", labels: kv{"workspace": "ws-1"}, want: `label tags.example.org/workspace = "ws-1" cannot be the aws tag workspace: reserved-key (` + reserved + `)`},
				"ReservedPrefix":    {reason: "A key that starts as reserved ones do should be refused.", annotations: kv{"entigo-zone": "z"}, want: `annotation tags.example.org/entigo-zone = "z" cannot be the aws tag entigo-zone: reserved-key (` + reserved + `)`},
				"NotReserved":       {reason: "A key that only resembles a reserved one should be admitted.", labels: kv{"workspaces": "x", "my-entigo": "x"}},
				"ReservedCase":      {reason: "A reserved key should be refused in any case.", labels: kv{"Workspace": "x"}, want: `label tags.example.org/Workspace = "x" cannot be the aws tag Workspace: reserved-key (only trusted sources may claim it, and nobody a key that providers set)`},
				"ProvidersKey":      {reason: "The keys of Crossplane's providers should be refused.", labels: kv{"crossplane-providerconfig": "default"}, want: `label tags.example.org/crossplane-providerconfig = "default" cannot be the aws tag crossplane-providerconfig: reserved-key (only Crossplane's providers set it)`},
				"ProvidersKeyCase":  {reason: "The keys of Crossplane's providers should be refused in any case.", labels: kv{"Crossplane-kind": "x"}, want: "reserved-key (only Crossplane's providers set it)"},
				"SecondPrefix":      {reason: "All prefixes should be looked at, also one that ends within a name.", annotations: kv{"aws.example.org/x": e(257)}, want: "cannot be the aws tag .example.org/x: value-too-long"},
				"Count":             {reason: "The tags of all prefixes should be counted, and reserved slots should not be used.", labels: kv{"a": "", "b": ""}, annotations: kv{"aws.example.org/c": "", "aws.example.org/d": ""}, want: "4 keys under tags.example.org/, aws cannot all be aws tags: count-cap (at most 3 tags on a resource: 50, less 47 reserved)"},
				"CountEnough":       {reason: "As many keys as there are slots left should be admitted.", labels: kv{"a": "", "b": ""}, annotations: kv{"aws.example.org/c": ""}},
				"UpdateToReserved":  {reason: "A reserved key should not be added.", update: true, labels: kv{"workspace": "x"}, want: "reserved-key"},
				"UpdateReserved":    {reason: "A reserved key should not get another value.", update: true, oldLabels: kv{"workspace": "x"}, labels: kv{"workspace": "y"}, want: "reserved-key"},
				"UpdateNotReserved": {reason: "A reserved key that was there before there was a policy should not hinder an update.", update: true, oldLabels: kv{"workspace": "x"}, labels: kv{"workspace": "x", "a": "y"}},
			},
		},
		"GCP": {
			args: []string{"--provider", "gcp", "--prefix", prefix, "--match", "v1/Namespace", "--reserved-key", "Cost.Center"},
			cases: map[string]admissionCase{
				"Formatted":      {reason: "A key that the built-in format makes legal should be admitted.", labels: kv{"Team.Name_1": "platform-eng"}},
				"UpperCaseValue": {reason: "A value in upper case should be refused, and the message should have the formatted key.", labels: kv{"Team.Name": "Platform"}, want: `label tags.example.org/Team.Name = "Platform" cannot be the gcp tag plexsphere_team_name: ` + gcpValues},
				"Dot":            {reason: "A value with a dot should be refused.", labels: kv{"version": "1.2"}, want: gcpValues},
				"OtherScripts":   {reason: "Letters without case, or in lower case, should be admitted in any script.", annotations: kv{"a": "日本é٣"}},
				"Capitals":       {reason: "Upper case should be refused in any script.", annotations: kv{"a": "É"}, want: gcpValues},
				"Value63":        {reason: "A value of 63 characters should be admitted.", labels: kv{"a": k(63)}},
				"Value64":        {reason: "A value of 64 characters should be refused.", annotations: kv{"a": k(64)}, want: "value-too-long (at most 63 characters and 128 bytes)"},
				"Value129Bytes":  {reason: "A value of 63 characters that are 189 bytes should be refused.", annotations: kv{"a": strings.Repeat("日", 63)}, want: "value-too-long (at most 63 characters and 128 bytes)"},
				"Key63":          {reason: "A key of 63 characters with its prefix should be admitted.", labels: kv{k(52): "v"}},
				"Key64":          {reason: "A key of 64 characters with its prefix should be refused.", labels: kv{k(53): "v"}, want: "key-too-long (at most 63 characters and 128 bytes)"},
				"EmptyValue":     {reason: "An empty value should be admitted.", labels: kv{"a": ""}},
				"Reserved":       {reason: "No key may come to be what a reserved one does.", labels: kv{"cost-center": "x", "cost_center": "x"}, want: "label tags.example.org/cost_center = \"x\" cannot be the gcp tag plexsphere_cost_center: reserved-key"},
			},
		},
		"GCPWithoutPrefix": {
			args: []string{"--provider", "gcp", "--prefix", prefix, "--key-prefix", "", "--match", "v1/Namespace"},
			cases: map[string]admissionCase{
				"Goog":        {reason: "A reserved prefix should be refused in any case.", labels: kv{"GOOGle": "x"}, want: `label tags.example.org/GOOGle = "x" cannot be the gcp tag google: reserved-prefix (reserved: goog)`},
				"Partner":     {reason: "A key that Google leaves to partners should be admitted.", labels: kv{"goog-partner-solution": "x"}},
				"Digit":       {reason: "A key that starts with a digit should be refused.", labels: kv{"1st": "x"}, want: "key-character-class (allowed: letters without case or in lower case, numbers, _ and -, starting with a letter)"},
				"ProvidersId": {reason: "A key that comes to be that of a provider once it is formatted should be refused.", labels: kv{"Crossplane-Kind": "x"}, want: "reserved-key (only Crossplane's providers set it)"},
			},
		},
		"Azure": {
			args: []string{"--provider", "azure", "--prefix", "tags.", "--key-prefix", "", "--match", "v1/Namespace", "--reserved-key", "Zone"},
			cases: map[string]admissionCase{
				"Slash":        {reason: "A slash becomes a dot on Azure and should be admitted.", labels: kv{"tags.example.org/team": "a"}},
				"Reserved":     {reason: "Azure's reserved prefixes should be refused, in any case.", labels: kv{"tags.windows/x": "a"}, want: "cannot be the azure tag windows.x: reserved-prefix (reserved: azure, microsoft, windows)"},
				"Case":         {reason: "A key that differs from a reserved one in case is the same on Azure.", annotations: kv{"tags.ZONE": "x"}, want: `annotation tags.ZONE = "x" cannot be the azure tag ZONE: reserved-key`},
				"ProvidersKey": {reason: "A key that differs from that of a provider in case is the same on Azure.", labels: kv{"tags.Crossplane-Name": "x"}, want: "reserved-key (only Crossplane's providers set it)"},
			},
		},
		"DigitalOcean": {
			args: []string{"--provider", "digitalocean", "--prefix", prefix, "--match", "v1/Namespace"},
			cases: map[string]admissionCase{
				"Entry255":  {reason: "An entry of 255 characters with its separator should be admitted.", annotations: kv{"a": k(242)}},
				"Entry256":  {reason: "A longer entry should be refused.", annotations: kv{"a": k(243)}, want: "value-too-long (at most 255 characters with the key)"},
				"Character": {reason: "A value with a space should be refused.", annotations: kv{"a": "b c"}, want: "value-character-class (allowed: ASCII letters and digits and : - _)"},
				"Dot":       {reason: "A dot in a key becomes a hyphen and should be admitted.", labels: kv{"a.b": "c"}},
			},
		},
		"OpenStack": {
			args: []string{"--provider", "openstack", "--prefix", prefix, "--match", "v1/Namespace"},
			cases: map[string]admissionCase{
				"Bytes255": {reason: "A value of 255 bytes should be admitted.", annotations: kv{"a": e(127) + "v"}},
				"Bytes256": {reason: "A value of 256 bytes should be refused, though it has fewer characters.", annotations: kv{"a": e(128)}, want: "value-too-long (at most 255 bytes)"},
				"Control":  {reason: "The contract admits control characters in values.", annotations: kv{"a": "b\x01c"}},
			},
		},
		"Hetzner": {
			args: []string{"--provider", "hetzner", "--provider", "aws", "--provider", "no-such-cloud", "--prefix", prefix, "--match", "v1/Namespace", "--key-prefix", "é:"},
			cases: map[string]admissionCase{
				"KeyPrefix": {reason: "A key whose prefix the profile doesn't admit should be refused, by the first profile that does so.", labels: kv{"a": "b"}, want: `label tags.example.org/a = "b" cannot be the hetzner tag é:a: key-character-class (allowed: ` + strictLimit + `)`},
				"None":      {reason: "An object without such labels should be admitted.", labels: kv{"other.example.org/a": "b"}},
			},
		},
		"HetznerCloud": {
			args: []string{"--provider", "hetzner", "--profile-rules", "Cloud", "--prefix", "tags", "--key-prefix", "", "--match", "v1/Namespace"},
			cases: map[string]admissionCase{
				"Value":     {reason: "A value that is a label's should be admitted.", labels: kv{"tagsa.example.org/a": "b-C.d_1"}},
				"ValueEnds": {reason: "A value with an odd end should be refused.", annotations: kv{"tagsx/a": "b-"}, want: "value-character-class (allowed: ASCII letters and digits and - _ . with a letter or digit at both ends)"},
				"KeyEnds":   {reason: "A key with an odd end should be refused.", annotations: kv{"tags-a/b": "c"}, want: `cannot be the hetzner tag -a/b: key-character-class`},
				"Long":      {reason: "The part of a key before the slash has a limit of its own.", labels: kv{"tags" + strings.Repeat("a.", 100) + "org/" + k(63): "b"}},
				"Reserved":  {reason: "Hetzner's own labels should be refused.", labels: kv{"tagshetzner.cloud/a": "b"}, want: "reserved-prefix (reserved: hetzner.cloud/)"},
			},
		},
		"Hierarchy": {
			args: []string{"--composition", "-"},
			in:   compositionOf(hierarchy),
			cases: map[string]admissionCase{
				"Trusted":          {reason: "A trusted source may claim reserved keys.", kind: "Organization", labels: kv{"workspace": "w", "cost-center": "c"}},
				"TrustedProviders": {reason: "Nobody may claim the keys of Crossplane's providers.", kind: "Organization", labels: kv{"crossplane-kind": "c"}, want: "reserved-key (only Crossplane's providers set it)"},
				"Namespace":        {reason: "A source that isn't trusted may not.", labels: kv{"workspace": "w"}, want: "label tags.example.org/workspace = \"w\" cannot be the aws tag workspace: reserved-key"},
				"Composite":        {reason: "The composite resource may not.", kind: "Zone", annotations: kv{"cost-center": "c"}, want: "annotation tags.example.org/cost-center = \"c\" cannot be the aws tag cost-center: reserved-key"},
				"CompositeStatus":  {reason: "Subresources should be looked at, too.", kind: "Zone", subresource: "status", update: true, annotations: kv{"cost-center": "c"}, want: "reserved-key"},
				"Admitted":         {reason: "Other keys should be admitted.", kind: "Zone", labels: kv{"team": "x"}, annotations: kv{"project-description": "Project Phoenix - Q2 2026 cloud migration initiative"}},
				"Count":            {reason: "Reserved slots should not be used.", kind: "Zone", labels: set(48), want: "48 keys under tags.example.org/ cannot all be aws tags: count-cap (at most 44 tags on a resource: 50, less 3 reserved, less 3 of the provider)"},
				"OtherKind":        {reason: "Other kinds of the group should be admitted.", kind: "Gateway", labels: kv{"workspace": "w"}},
			},
		},
		"HierarchyMatch": {
			args: []string{"--composition", "-", "--match", "platform.example.org/v1/Gateway", "--match", "platform.example.org/v1/Organization=organizations"},
			in:   compositionOf(hierarchy),
			cases: map[string]admissionCase{
				"Unknown":    {reason: "A kind that no source reads should be checked as all that do, and trusted as little.", kind: "Gateway", labels: kv{"workspace": "w"}, want: "reserved-key"},
				"Trusted":    {reason: "A kind that a source reads should be trusted as the source.", kind: "Organization", labels: kv{"workspace": "w"}},
				"NotMatched": {reason: "A kind that isn't named should be admitted even if a source reads it.", kind: "Zone", labels: kv{"workspace": "w"}},
			},
		},
		"LowerCaseValues": {
			args: []string{"--composition", "-", "--provider", "gcp"},
			in:   compositionOf(`keyPrefix: "", valueFormats: [{provider: gcp, replace: {" ": "_"}, lowercase: true}], sources: [{type: CompositeMetadata, prefix: tags.example.org/}]`),
			cases: map[string]admissionCase{
				"Capitals":       {reason: "Capitals that the format puts in lower case should be admitted in any script.", kind: "Zone", annotations: kv{"a": "ÄÖ xǅБ", "b": "AB c"}},
				"NoLowerCase":    {reason: "A capital that is none in lower case stays one, and should be refused.", kind: "Zone", annotations: kv{"a": "𝐀"}, want: gcpValues},
				"LongerInLower":  {reason: "A capital that is longer in lower case should be refused, since CEL can't tell how long.", kind: "Zone", annotations: kv{"a": "Ⱥ"}, want: gcpValues},
				"Long":           {reason: "A value as long as Kubernetes admits should not cost too much.", kind: "Zone", annotations: kv{"a": k(250_000)}, want: "value-too-long"},
				"OtherCharacter": {reason: "What is no letter should be refused as ever.", kind: "Zone", annotations: kv{"a": "ʰ"}, want: gcpValues},
			},
		},
		"Sources": {
			args: []string{"--composition", "-", "--provider", "gcp", "--provider", "aws"},
			in: compositionOf(`keyPrefix: "Acme-", reservedKeys: ["Acme-zone"], keyFormats: [{provider: gcp, prefix: "acme_", replace: {ab: b, b: ab, ".": ""}, lowercase: true}], sources: [
				{type: CompositeMetadata, prefix: tags.example.org/},
				{type: CompositeMetadata, prefix: tag-keys.example.org/, keyForm: Tag},
				{type: CompositeMetadata, prefix: trusted.example.org/, trusted: true},
				{type: CompositeMetadata, prefix: tags.example.org/, trusted: true},
				{type: CompositeMetadata, prefix: some.example.org/, include: {keys: ["a", "b*"], except: ["b-*", bb]}},
				{type: CompositeMetadata, prefix: none.example.org/, include: {keys: []}},
				{type: RequiredResource, prefix: json.example.org/, encoding: JSON, resource: {apiVersion: v1, kind: ConfigMap, name: {value: x}}},
				{type: CompositeField, fromFieldPath: spec.labels}
			]`),
			cases: map[string]admissionCase{
				"Format":           {reason: "A format of the input should be applied in one pass.", kind: "Zone", annotations: kv{"ab.B-b": "É"}, want: "cannot be the gcp tag acme_bb-ab: value-character-class"},
				"TagKey":           {reason: "A tag key should get no prefix.", kind: "Zone", annotations: kv{"tag-keys.example.org/Team": "É"}, want: "cannot be the gcp tag team: value-character-class"},
				"TagKeyReserved":   {reason: "A tag key should be reserved with its prefix.", kind: "Zone", labels: kv{"tag-keys.example.org/Acme-zone": "x"}, want: "reserved-key"},
				"Trusted":          {reason: "A source that is trusted may claim reserved keys, wherever it stands.", kind: "Zone", labels: kv{"trusted.example.org/zone": "x"}},
				"TagKeyClaims":     {reason: "A label that an untrusted source reads, too, should not come to be a reserved tag key.", kind: "Zone", labels: kv{"zone": "x"}, want: "cannot be the gcp tag acme_zone: reserved-key"},
				"Included":         {reason: "Keys that the source includes should be checked.", kind: "Zone", annotations: kv{"some.example.org/bcd": e(257)}, want: "value-too-long"},
				"NotIncluded":      {reason: "Keys that the source doesn't include never become tags.", kind: "Zone", annotations: kv{"some.example.org/cd": e(257), "none.example.org/a": e(257)}},
				"Excepted":         {reason: "Keys that the source excepts never become tags.", kind: "Zone", annotations: kv{"some.example.org/b-c": e(257), "some.example.org/bb": e(257)}},
				"JSON":             {reason: "A value in JSON should be decoded.", kind: "ConfigMap", annotations: kv{"json.example.org/a": `"` + k(63) + `"`, "json.example.org/c": "true", "json.example.org/d": "-10", "json.example.org/e": `""`}},
				"JSONLabel":        {reason: "A label in JSON can only be a number or a boolean.", kind: "ConfigMap", labels: kv{"json.example.org/a": "42"}},
				"JSONTooLong":      {reason: "A decoded value should be checked.", kind: "ConfigMap", annotations: kv{"json.example.org/a": `"` + k(64) + `"`}, want: "value-too-long"},
				"JSONEscape":       {reason: "A value that the policy can't decode should be refused.", kind: "ConfigMap", annotations: kv{"json.example.org/a": `"\u0061"`}, want: `annotation json.example.org/a = "\"\\u0061\"" is no JSON string without escapes, whole number or boolean`},
				"JSONBare":         {reason: "A value that isn't JSON fails the pipeline, so it should be refused.", kind: "ConfigMap", labels: kv{"json.example.org/a": "prod"}, want: `label json.example.org/a = "prod" is no JSON`},
				"JSONNull":         {reason: "Null is no value.", kind: "ConfigMap", labels: kv{"json.example.org/a": "null"}, want: `is no JSON`},
				"JSONUnchanged":    {reason: "A value that was bad before should not hinder an update.", kind: "ConfigMap", update: true, oldLabels: kv{"json.example.org/a": "prod"}, labels: kv{"json.example.org/a": "prod", "json.example.org/b": "1"}},
				"OtherKindsPrefix": {reason: "A kind should only be checked for the prefixes that a source reads it by.", kind: "ConfigMap", annotations: kv{"a": e(300)}},
				"OtherKindsJSON":   {reason: "Another kind may have what isn't JSON.", kind: "Zone", labels: kv{"json.example.org/a": "prod"}},
			},
		},
	}

	maps.Copy(policies, requiredPolicies)

	count := 0

	for name, p := range policies {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, output(t, p.in, p.args...))

			for name, tc := range p.cases {
				count++

				if tc.kind == "" {
					tc.kind = "Namespace"
				}

				t.Run(name, func(t *testing.T) {
					r := &request{resource: resources[tc.kind], subresource: tc.subresource, object: object(tc.kind, tc.labels, tc.annotations)}
					if tc.update {
						r.old = object(tc.kind, tc.oldLabels, tc.oldAnnotations)
					}

					refused, _ := s.admit(t, r)
					if (refused == "") != (tc.want == "") || !strings.Contains(refused, tc.want) {
						t.Errorf("%s\nwant the object refused for: %s\nbut it is for: %s", tc.reason, tc.want, refused)
					}

					// The API server validates objects before it asks policies.
					errs := metav1validation.ValidateLabels(r.object.GetLabels(), field.NewPath("labels"))
					errs = append(errs, apivalidation.ValidateAnnotations(r.object.GetAnnotations(), field.NewPath("annotations"))...)

					if len(errs) > 0 {
						t.Errorf("the case should be one that there can be, but: %v", errs.ToAggregate())
					}
				})
			}
		})
	}

	if count < 40 {
		t.Errorf("there should be 40 cases at least, but there are %d", count)
	}
}

func TestWarn(t *testing.T) {
	s := newServer(t, output(t, "", "--provider", "aws", "--prefix", prefix, "--match", "v1/Namespace", "--action", "Warn", "--name", "my-policy", "--reserved-key", "zone"))

	refused, warnings := s.admit(t, &request{resource: resources["Namespace"], object: object("Namespace", map[string]string{"zone": "x"}, nil)})
	limit := profile.Of("aws").Limit(profile.ReservedKey)
	want := []string{"label tags.example.org/zone = \"x\" cannot be the aws tag plexsphere:zone: reserved-key (" + limit + ")"}

	if diff := cmp.Diff(want, warnings); diff != "" || refused != "" {
		t.Errorf("a policy that warns should refuse nothing (%s), and warn (-want, +got):\n%s", refused, diff)
	}
}

// everything is a policy of all providers and all that an input can say.
func everything(tb rapid.TB, rules string) []byte {
	tb.Helper()

	in := compositionOf(`keyPrefix: "Äcme-", profileRules: ` + rules + `, reservedKeys: ["Acme-zone", "x*"], keyFormats: [
			{provider: gcp, prefix: "acme_", replace: {ab: b, b: ab, ".": ""}, lowercase: true},
			{provider: azure, replace: {"\n\\": "'\""}, lowercase: true}
		], sources: [
			{type: CompositeMetadata, prefix: tags.example.org/},
			{type: CompositeMetadata, prefix: tag-keys.example.org/, keyForm: Tag, trusted: true},
			{type: CompositeMetadata, prefix: some.example.org/, include: {keys: ["a", "b*"]}},
			{type: RequiredResource, prefix: json.example.org/, encoding: JSON, include: {except: [owner]}, resource: {apiVersion: v1, kind: ConfigMap, name: {value: x}}},
			{type: RequiredResource, prefix: tags.example.org/, trusted: true, include: {except: [owner]}, resource: {apiVersion: v1, kind: Namespace, name: {value: x}}}
		], tagPolicy: {rules: [{key: owner, values: ["team-*", x]}]}`)

	return output(tb, in, "--composition", "-", "--required", "--provider", "aws", "--provider", "azure", "--provider", "digitalocean", "--provider", "gcp",
		"--provider", "generic", "--provider", "hetzner", "--provider", "openstack")
}

// TestVersions compiles policies as every API server does that has
// ValidatingAdmissionPolicy of v1, the first of which is 1.30.
func TestVersions(t *testing.T) {
	for _, rules := range []string{"Contract", "Cloud"} {
		policy, _ := decodeManifests(t, everything(t, rules))

		for minor := uint(30); minor <= latest().Minor(); minor++ {
			compileFor(t, version.MajorMinor(1, minor), policy)
		}
	}
}

// TestCost evaluates policies of all providers at once for objects with as much
// metadata as there can be. The API server stops at a cost, and then refuses.
func TestCost(t *testing.T) {
	cases := map[string]struct {
		reason              string
		labels, annotations map[string]string
		old                 *unstructured.Unstructured
	}{
		"ManyLabels": {reason: "Hundreds of labels should not cost too much.", labels: set(500)},
		"LongKeys": {reason: "Long keys should not cost too much.", labels: func() map[string]string {
			out := map[string]string{}
			for i := range 300 {
				out[fmt.Sprintf("%s%060d", prefix, i)] = strings.Repeat("v", 63)
			}

			return out
		}()},
		"LongValues": {reason: "As many long values as Kubernetes admits should not cost too much.", annotations: func() map[string]string {
			out := map[string]string{}
			for i := range 900 {
				out[fmt.Sprintf("%sk%d", prefix, i)] = strings.Repeat("é", 127)
			}

			return out
		}()},
		"OneValue":       {reason: "A value as long as Kubernetes admits should not cost too much.", annotations: map[string]string{"a": strings.Repeat("v", 250_000)}},
		"OneJSON":        {reason: "A value as long as Kubernetes admits should not cost too much.", annotations: map[string]string{"json.example.org/a": `"` + strings.Repeat("v", 250_000) + `"`}},
		"UnchangedValue": {reason: "To find that a long value is the same should not cost too much.", annotations: map[string]string{"a": strings.Repeat("v", 250_000), "b": "c"}, old: object("Zone", nil, map[string]string{"a": strings.Repeat("v", 250_000)})},
	}

	for _, rules := range []string{"Contract", "Cloud"} {
		policy, _ := decodeManifests(t, everything(t, rules))
		v := compileFor(t, latest(), policy)

		for name, tc := range cases {
			t.Run(rules+name, func(t *testing.T) {
				r := &request{resource: resources["Zone"], object: object("Zone", tc.labels, tc.annotations), old: tc.old}
				if name == "OneJSON" {
					r = &request{resource: resources["ConfigMap"], object: object("ConfigMap", tc.labels, tc.annotations)}
				}

				for _, m := range refusals(t, v, r) { // It fails if the cost is too much.
					if strings.Contains(m, "must be fit to be") || strings.Contains(m, "must be JSON") {
						t.Errorf("%s\nThe message should be one of the labels, but is: %s", tc.reason, m)
					}
				}
			})
		}
	}
}

func TestDeterministic(t *testing.T) {
	for range 20 {
		if diff := cmp.Diff(string(everything(t, "Cloud")), string(everything(t, "Cloud"))); diff != "" {
			t.Fatalf("the same flags should make the same policy (-one, +other):\n%s", diff)
		}
	}
}
