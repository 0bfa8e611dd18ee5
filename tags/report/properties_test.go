package report

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/metadata"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A scenario is what is to be stamped on resources.
type scenario struct {
	labels  []tags.Label
	desired map[string]*fnv1.Resource
	in      *v1beta1.CloudTags
	profile string

	// xr is the composite resource, or empty if it doesn't matter.
	xr string

	// fields that are known.
	fields field.Locator
}

// desired returns the object o as a desired resource.
func desired(o string) *fnv1.Resource { return &fnv1.Resource{Resource: tagstest.MustStructJSON(o)} }

// played is what came of a scenario.
type played struct {
	rsp     *fnv1.RunFunctionResponse
	outcome *Facts
	log     string
}

// play stamps and reports, from copies of everything in the scenario.
func (s *scenario) play(ctx context.Context, metrics *Metrics) (*played, error) {
	req := request(s.xr)
	req.Desired.Resources = make(map[string]*fnv1.Resource, len(s.desired))

	for name, r := range s.desired {
		req.Desired.Resources[name] = proto.CloneOf(r)
	}

	in := s.in.DeepCopy()
	in.StatusFieldPath = object.MustParsePath("status.cloudTags")
	in.Provider = &v1beta1.StringSource{Value: s.profile}

	o, err := stampAll(ctx, &stamp.Stamper{Finder: locate.Finder{Input: in, NewLocator: fixed(s.fields)}, Transformer: tags.NewTransformer(slices.Clone(s.labels), nil)}, req.GetDesired().GetResources())
	if err != nil {
		return nil, err
	}

	b := &bytes.Buffer{}
	r := NewRun(req, Options{})
	r.Budget = nil // The log has all that results have no room for.
	r.Input, r.Log, r.Metrics, r.Required = in, tagstest.Logger(b, slog.LevelDebug), metrics, require.New(req)

	return &played{rsp: telling(r, r.Success(ctx, o)), outcome: o, log: b.String()}, nil
}

// scenarios with labels that are skipped for all kinds of reasons, on resources that
// have their tags in different places.
func scenarios(maxLabels int) *rapid.Generator[scenario] {
	return rapid.Custom(func(t *rapid.T) scenario {
		// Characters that neither marks nor lists of items in messages have.
		odd := rapid.StringOfN(rapid.RuneFrom([]rune("abcXYZ-./:@+ ü→😀\x00\t\n\"\\*&\u202e")), 0, 8, -1)
		key := rapid.OneOf(rapid.StringMatching(`[a-z]{0,8}`), odd, rapid.Just(strings.Repeat("x", 50)), rapid.Just(strings.Repeat("ü", 300)))

		s := scenario{
			labels:  make([]tags.Label, rapid.IntRange(0, maxLabels).Draw(t, "labels")),
			desired: make(map[string]*fnv1.Resource),
			profile: rapid.SampledFrom([]string{"aws", "hetzner", "openstack", "generic"}).Draw(t, "profile"),
			in: &v1beta1.CloudTags{
				Sources:      []v1beta1.Source{{}},
				ReservedTags: map[string]v1beta1.TagCount{"aws": v1beta1.TagCount(rapid.IntRange(0, 60).Draw(t, "reserved"))}, //nolint:gosec // 60 is no overflow.
				ProfileRules: rapid.SampledFrom([]profile.Rules{"", profile.Contract, profile.Cloud}).Draw(t, "rules"),
			},
			fields: field.Chain{field.NewOverrides([]v1beta1.TagField{{
				APIVersion: "example.org/*", Kind: "Port", FieldPath: object.MustParsePath("spec.tags"), Shape: "StringList",
				StringList: &v1beta1.StringList{Separator: "=", MaxLength: 255},
			}}), field.BuiltIn(), field.ByProfile{}},
		}

		for i := range s.labels {
			k := rapid.SampledFrom([]string{"", "", "", "aws:", "platform/"}).Draw(t, "prefix") + fmt.Sprintf("_%04d_", i) + key.Draw(t, "key")
			v := strings.Repeat("ü", rapid.SampledFrom([]int{0, 1, 1, 1, 60, 120, 200, 300}).Draw(t, "value"))
			s.labels[i] = tags.Label{QualifiedKey: k, TagKey: "plexsphere:" + k, Value: v}
		}

		slices.SortFunc(s.labels, tags.Label.Compare)

		for i := range rapid.IntRange(1, 8).Draw(t, "resources") {
			name := fmt.Sprintf("r%d%s", i, strings.Repeat("r", rapid.SampledFrom([]int{0, 0, 250}).Draw(t, "name")))
			others := make([]string, rapid.IntRange(0, 55).Draw(t, "others"))

			for j := range others {
				others[j] = fmt.Sprintf(`"other%d": "x"`, j)
			}

			s.desired[name] = desired(`{"apiVersion": "` + rapid.SampledFrom([]string{
				`s3.aws.m.upbound.io/v1beta1", "kind": "BucketObject", "spec": {"forProvider": {}}`, // It has a profile of its own.
				`example.org/v1", "kind": "Thing", "spec": {"forProvider": {"tags": {` + strings.Join(others, ", ") + `}}}`,
				`example.org/v1", "kind": "Thing", "spec": {"forProvider": {"tags": "text", "labels": [], "metadata": 1}}`,
				`example.org/v1", "kind": "Port", "spec": {}`,
				`example.org/v1", "kind": "Other"`,
			}).Draw(t, "spec") + `}`)
		}

		return s
	})
}

// TestSuccessProperties tests facts about any outcome: events can have the messages, each skipped label is in one of
// them and in one line of the log, counters agree with the log, the status has the tags of resources, and everything is
// the same each time.
func TestSuccessProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := scenarios(120).Draw(t, "scenario")
		m := NewMetrics()

		p, err := s.play(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}

		again, err := s.play(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}

		for name, err := range map[string]error{
			"messages": sound(p.rsp.GetResults()), "skipped labels": named(p.outcome, p.rsp.GetResults()),
			"status": p.active(), "metrics": p.counts(s.profile, m), "a second time": p.same(again),
		} {
			if err != nil {
				t.Errorf("Success(...): %s: %s", name, err)
			}
		}
	})
}

// marks of the labels of scenarios, which no other part of a message looks like.
var mark = regexp.MustCompile(`_\d{4}_`)

// more is how a result says how many labels there is no room for.
var more = regexp.MustCompile(`; and (\d+) labels? more: the log has all$`)

// named returns an error unless each skip of the outcome is named in one of the
// results, which is one for its reason and limit, or counted by the last of the reason. Labels must
// be marked.
func named(o *Facts, results []*fnv1.Result) error {
	type skip struct{ mark, reason, limit string }

	missing := make(map[skip]int)
	counted := make(map[string]int)

	for _, s := range o.Skips {
		missing[skip{mark: mark.FindString(s.QualifiedKey), reason: pascalCase(s.Reason), limit: s.Limit}]++
	}

	for i, r := range results {
		if r.GetSeverity() != fnv1.Severity_SEVERITY_WARNING || r.GetReason() == "TagFieldMismatch" || r.GetReason() == ReasonUnknownKinds {
			continue
		}

		text := r.GetMessage()
		if found := more.FindStringSubmatch(text); found != nil {
			text = strings.TrimSuffix(text, found[0])
			counted[r.GetReason()], _ = strconv.Atoi(found[1])
		}

		text, goesOn := strings.CutSuffix(text, "; the list goes on in the next message")
		head, items, _ := strings.Cut(text, "): ")
		_, limit, _ := strings.Cut(head, " (")
		limit = strings.TrimSuffix(limit, mendOf(r.GetReason()))

		if next := results[i+1:]; goesOn != (len(next) > 0 && strings.HasPrefix(next[0].GetMessage(), head+"): ")) {
			return errors.Errorf("whether the list of %q goes on: %t", head, goesOn)
		}

		for item := range strings.SplitSeq(items, "; ") {
			marks := mark.FindAllString(item, -1)
			if len(marks) != 2 || marks[0] != marks[1] {
				return errors.Errorf("%q does not name one label and its tag", item)
			}

			missing[skip{mark: marks[0], reason: r.GetReason(), limit: limit}]--
		}
	}

	left := make(map[string]int)

	for s, n := range missing {
		if n < 0 {
			return errors.Errorf("%v is named too often", s)
		}

		if n > 0 {
			left[s.reason] += n
		}
	}

	return differ(left, counted)
}

// mendOf returns the advice of results with the reason: "; keyFormats can change keys" for KeyCharacterClass.
func mendOf(reason string) string {
	for r, mend := range formats {
		if pascalCase(r) == reason {
			return mend
		}
	}

	return ""
}

// sound returns an error unless events can have the messages of all results, and there are not too many.
func sound(results []*fnv1.Result) error {
	if len(results) > maxResults {
		return errors.Errorf("%d results", len(results))
	}

	for _, r := range results {
		if msg := r.GetMessage(); len(msg) > words.MaxMessage || msg == "" || !utf8.ValidString(msg) || strings.ContainsAny(msg, "\n\x00") {
			return errors.Errorf("a message of %d bytes: %q", len(msg), msg)
		}
	}

	return nil
}

// counts returns an error unless the metrics have counted what results and lines of the log say.
// Each line is about a label that was skipped.
func (p *played) counts(name string, m *Metrics) error {
	want := map[string]int{}

	for _, r := range p.outcome.Results {
		if r.IsTagged() {
			want[series(tagged, r.Provider)]++
		}

		switch {
		case r.NoFieldReason.IsUnknown():
			want[series(notKnown, r.Provider)]++
		case r.LeftAlone != "":
			want[series(notTaggable, r.Provider)]++
		}
	}

	for _, r := range profile.SkipReasons() {
		want[skippedSeries(name, r)] = strings.Count(p.log, fmt.Sprintf(`"provider":%q,"reason":%q`, name, r))
	}

	if got := strings.Count(p.log, `"msg":"Skipped label"`); got != len(p.outcome.Skips) {
		return errors.Errorf("want %d lines in the log, got %d", len(p.outcome.Skips), got)
	}

	return differ(nonzero(want), tagstest.Counted(m.Collectors()...))
}

// active returns an error unless the status tells of the tags that labels have become, and of no
// tags that resources of the response don't have.
func (p *played) active() error {
	n, err := object.Get(object.Of(p.rsp.GetDesired().GetComposite()), object.MustParsePath("status.cloudTags.resources"))
	if err != nil {
		return err
	}

	got := n.GetStructValue().GetFields()

	for _, r := range p.outcome.Results {
		values := got[r.Resource].GetStructValue().AsMap()

		for _, j := range r.Records {
			if j.Fate == tags.Tagged && values[j.Key] != j.Value {
				return errors.Errorf("%q has the tag %q=%q of a label, but the status has %v", r.Resource, j.Key, j.Value, values)
			}
		}
	}

	for name, values := range got {
		spec := p.rsp.GetDesired().GetResources()[name].GetResource().AsMap()["spec"]

		for k, v := range values.GetStructValue().GetFields() {
			if !carries(spec, k, v.GetStringValue()) {
				return errors.Errorf("%q has the tag %q=%q in the status, but is %v", name, k, v, spec)
			}
		}
	}

	return nil
}

// carries reports whether the spec of a scenario has the tag.
func carries(spec any, key, value string) bool {
	switch s := spec.(type) {
	case map[string]any:
		if v, ok := s[key]; ok {
			return v == value
		}

		return slices.ContainsFunc(slices.Collect(maps.Values(s)), func(v any) bool { return carries(v, key, value) })
	case []any:
		return slices.Contains(s, any(key+"="+value))
	}

	return false
}

// same returns an error unless responses and logs are the same, byte for byte.
func (p *played) same(as *played) error {
	var got [2]string

	for i, p := range []*played{p, as} {
		b, err := proto.MarshalOptions{Deterministic: true}.Marshal(p.rsp)
		if err != nil {
			return err
		}

		got[i] = string(b) + p.log
	}

	return differ(got[0], got[1])
}

// differ returns an error if the values differ.
func differ(want, got any) error {
	if diff := cmp.Diff(want, got); diff != "" {
		return errors.New("-want, +got:\n" + diff)
	}

	return nil
}

// succeed reports the outcome o of a run that has no options.
func succeed(t *testing.T, log *slog.Logger, o *Facts) []*fnv1.Result {
	t.Helper()

	req := request("")
	r := NewRun(req, Options{})
	r.Log, r.Required, r.Input, r.Budget = log, require.New(req), &v1beta1.CloudTags{}, nil

	return telling(r, r.Success(t.Context(), o)).GetResults()
}

// telling returns the response, once the facts of the run are told.
func telling(r *Run, rsp *fnv1.RunFunctionResponse) *fnv1.RunFunctionResponse {
	r.tell()

	return rsp
}

// repeat the text, with a mark in front of it.
func repeat(n int, text func(i int) string) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("_%04d_%s", i, text(i))
	}

	return out
}

// TestManyResources tests that one result, or the log, names each of many resources.
func TestManyResources(t *testing.T) {
	keys := repeat(400, func(i int) string { return strings.Repeat("k", 7*i%400) })
	o := &Facts{}
	all := words.Map(keys, func(key string) string { return strings.ReplaceAll(key, "_", "") })

	for i, name := range repeat(300, func(int) string { return strings.Repeat("n\n", 150) }) {
		alone := stamp.Result{Resource: name, APIVersion: strings.Repeat("a", 300), Kind: strings.Repeat("ü", 300), LeftAlone: strings.Repeat("ü", 600)}
		notKnown := alone
		notKnown.NoFieldReason = locate.Unknown

		o.Results = append(o.Results, alone, notKnown, stamp.Result{Resource: name, Mismatch: strings.Repeat("spec.", 300) + "tags is a list"},
			stamp.Result{
				Resource: name, Provider: "aws", Notes: stamp.Notes{{Kind: stamp.NoteUnkept, Keys: all[300:]}},
				Records: slices.Concat(recordsOf(tags.Retained, all[:100]...), recordsOf(tags.Ignored, all[100:200]...), recordsOf(tags.Removed, all[200:300]...)),
			})
		o.NotCopied = append(o.NotCopied, metadata.NotCopied{Entry: i / 100, Why: name + ": " + strings.Repeat("must be short; ", 50)})
	}

	log := &bytes.Buffer{}
	results := succeed(t, tagstest.Logger(log, slog.LevelDebug), o)

	if err := sound(results); err != nil {
		t.Errorf("Success(...): want messages that events can have, got %s", err)
	}

	got, want := make(map[string]int), make(map[string]int)
	say := func(reason, message string) {
		for _, m := range mark.FindAllString(message, -1) {
			got[reason+" "+m]++
		}
	}

	for _, r := range results {
		say(r.GetReason(), r.GetMessage())
	}

	for line := range strings.Lines(log.String()) {
		var left struct {
			Reason  string `json:"reason"`
			Message string `json:"message"`
		}

		if err := json.Unmarshal([]byte(line), &left); err != nil {
			t.Fatal(err)
		}

		say(left.Reason, left.Message)
	}

	for _, reason := range []string{"NotTagged", "UnknownKinds", "TagFieldMismatch", "MetadataNotCopied", "TagsWithheld"} {
		for i := range 300 {
			want[fmt.Sprintf("%s _%04d_", reason, i)] = 1
		}
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("\nEach resource is named once.\nSuccess(...): -want, +got:\n%s", diff)
	}
}

// TestMessagesOfAllLimits tests the longest messages: events can have them, with the longest keys and names that are
// not shortened, for all limits.
func TestMessagesOfAllLimits(t *testing.T) {
	names := repeat(12, func(int) string { return strings.Repeat("x", words.MaxName-6) })
	resources := append([]string{strings.Repeat("r", words.MaxName)}, make([]string, 998)...)

	seen := make(map[string]bool)

	for _, p := range slices.Concat(profile.Contract.Profiles(), profile.Cloud.Profiles()) {
		for _, reason := range profile.SkipReasons() {
			limit := p.Limit(reason)

			// Many profiles share one.
			as := fmt.Sprint(limit, len(p.Name), p.Narrow)
			if seen[as] {
				continue
			}

			seen[as] = true

			if reason == profile.CountCap {
				limit += ", 2147483647 of them reserved"
			}

			o := &Facts{}

			for _, name := range names {
				s := stamp.Skip{SkippedLabel: tags.SkippedLabel{QualifiedKey: name, TagKey: name, Provider: p.Name, Reason: reason}, Limit: limit}

				// A profile of all resources names none.
				if p.Narrow || reason == profile.CountCap {
					s.Resources = resources
				}

				o.Skips = append(o.Skips, s)
			}

			if err := sound(succeed(t, slog.New(slog.DiscardHandler), o)); err != nil {
				t.Errorf("%s, %s: Success(...): want messages that events can have, got %s", p.Name, reason, err)
			}
		}
	}
}

// TestBounded tests that labels times resources are not more than either, that each skipped label is in
// one line of the log, and that the results say of how many labels there is no more to read.
func TestBounded(t *testing.T) {
	cases := map[string]struct {
		reason            string
		labels, resources int
		text              string
		removed           bool

		// lines of the log, and the last result.
		lines int
		last  string
	}{
		"Both": {
			reason: "Each resource has one result or line, which names the first few tags.",
			labels: 1000, resources: 1000,
			removed: true,
			lines:   1000 + 500 - 8,
			last:    "removeTags names it); and 972 more; and 492 resources more: the log has all",
		},
		"ControlCharacters": {reason: "Characters that can't be seen take more bytes in messages.", labels: 100, resources: 1, text: "\x00", lines: 100, last: "labels more: the log has all"},
		"ManyBytes":         {reason: "Characters of many bytes are not torn apart, and long keys are short in messages.", labels: 1000, resources: 1000, text: "😀", lines: 1000, last: "labels more: the log has all"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b, o := &bytes.Buffer{}, &Facts{}
			keys, names := repeat(tc.labels, func(i int) string { return strings.Repeat(tc.text, i) }), make([]string, tc.resources)

			for i := range names {
				names[i] = fmt.Sprintf("r%05d", i)

				o.Results = append(o.Results, stamp.Result{Resource: names[i]})
				if tc.removed && i%2 == 0 {
					o.Results[i].Records = recordsOf(tags.Removed, keys...)
				}
			}

			for _, key := range keys {
				o.Skips = append(o.Skips, skip("aws", key, profile.CountCap, "at most 50 tags on a resource", names...))
			}

			results := succeed(t, tagstest.Logger(b, slog.LevelDebug), o)

			if got := len(lines(b.String())); got != tc.lines || b.Len() > 20_000_000 {
				t.Errorf("\n%s\nSuccess(...): want %d log lines of at most twenty megabytes, got %d of %d bytes", tc.reason, tc.lines, got, b.Len())
			}

			if err := errors.Join(sound(results), named(o, results)); err != nil {
				t.Errorf("\n%s\nSuccess(...): want messages that events can have, and each skipped label named in one result or counted: %s", tc.reason, err)
			}

			if last := results[len(results)-1].GetMessage(); !strings.HasSuffix(last, tc.last) {
				t.Errorf("\n%s\nSuccess(...): want a last message that ends with %q, got %q", tc.reason, tc.last, last)
			}
		})
	}
}
