package report

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/metadata"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/tagpolicy"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// A reportCase is a run, and what came of it. In all of its texts, ${x*300} stands for 300 times x.
type reportCase struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`

	// XR, Composite and Context are as in a scene. Steps are what steps of this function have told in the context: OWN is
	// the step itself. Edit names an edit of the request.
	XR        json.RawMessage `json:"xr"`
	Composite json.RawMessage `json:"composite"`
	Context   json.RawMessage `json:"context"`
	Steps     json.RawMessage `json:"steps"`
	Edit      string          `json:"edit"`

	// StatusSchema as in a scene.
	StatusSchema json.RawMessage `json:"statusSchema"`

	// Input of the run, and what its sources have come to.
	Input *v1beta1.CloudTags `json:"input"`
	Set   struct {
		Cut        int                        `json:"cut"`
		Empty      []resolve.SourceNote       `json:"empty"`
		Ambiguous  []resolve.SourceNote       `json:"ambiguous"`
		Changes    []resolve.ClassChange      `json:"changes"`
		Provider   string                     `json:"provider"`
		Labels     []tags.Label               `json:"labels"`
		Overridden []tags.Label               `json:"overridden"`
		Classes    map[string]json.RawMessage `json:"classes"`
	} `json:"set"`

	// The outcome of the run.
	Results      []resultCase          `json:"results"`
	Skips        []skipCase            `json:"skips"`
	CloudRefuses []skipCase            `json:"cloudRefuses"`
	NotCopied    []metadata.NotCopied  `json:"notCopied"`
	Unmatched    []string              `json:"unmatched"`
	Violations   []tagpolicy.Violation `json:"violations"`
}

// A resultCase is a result, or many results whose names have a number.
type resultCase struct {
	stamp.Result

	Many int `json:"many"`

	// Like is untagged or unknown, for a resource that has no tag field, or of which nobody knows it.
	Like  string `json:"like"`
	Lacks string `json:"lacks"`

	// Labels that are tags, and the keys of those that are withheld, by their fates.
	Tagged   map[string]string `json:"tagged"`
	Retained []string          `json:"retained"`
	Ignored  []string          `json:"ignored"`
	Removed  []string          `json:"removed"`

	// Notes, with their kinds by name.
	Protected     []string   `json:"protected"`
	Unkept        []string   `json:"unkept"`
	MoreProtected int        `json:"moreProtected"`
	Notes         []noteCase `json:"notes"`
}

type noteCase struct {
	stamp.Note

	Kind string `json:"kind"`
}

// A skipCase is the skip of a label, whose tag key has the usual prefix if only the Key is given. With a Value, the label breaks a limit of the
// provider.
type skipCase struct {
	stamp.Skip

	Key string `json:"key"`
}

// names of reasons and kinds in cases.
var (
	lackNames = map[string]locate.Reason{"Composite": locate.Composite, "LooksLike": locate.PossibleField, "Unlisted": locate.Unlisted}
	noteNames = map[string]stamp.NoteKind{
		"Immutable": stamp.NoteImmutable, "OtherValue": stamp.NoteOtherValue, "Owned": stamp.NoteOwned, "Kept": stamp.NoteKept,
		"Unreported": stamp.NoteUnreported, "LastStays": stamp.NoteLastStays, "Leftover": stamp.NoteLeftover, "ReservedLaunched": stamp.NoteReservedLaunched, "Removed": stamp.NoteRemoved, "StaysSelected": stamp.NoteStaysSelected, "LastKept": stamp.NoteLastKept,
	}
	edits = map[string]func(req *fnv1.RunFunctionRequest){
		"Nothing":     func(req *fnv1.RunFunctionRequest) { req.Reset() },
		"NoContext":   func(req *fnv1.RunFunctionRequest) { req.Context = nil },
		"NoComposite": func(req *fnv1.RunFunctionRequest) { req.Desired.Composite = nil },
		"EmptyComposite": func(req *fnv1.RunFunctionRequest) {
			req.Desired.Composite = &fnv1.Resource{Ready: fnv1.Ready_READY_FALSE}
		},
	}
)

// TestCases tells what the files in testdata/cases say.
func TestCases(t *testing.T) {
	type file struct {
		Each  json.RawMessage   `json:"each"`
		Cases []json.RawMessage `json:"cases"`
	}

	tagstest.EachFile(t, "testdata/cases/*.yaml", func(t *testing.T, f *file, g *tagstest.Golden) {
		t.Helper()

		for _, text := range f.Cases {
			tc := reportCase{}

			for _, b := range [][]byte{f.Each, text} {
				if len(b) == 0 {
					continue
				}

				d := json.NewDecoder(strings.NewReader(expand(string(b))))
				d.DisallowUnknownFields()

				if err := d.Decode(&tc); err != nil { //nolint:musttag // Fields of other packages are decoded by their names.
					t.Fatalf("cannot decode case %s: %v", text, err)
				}
			}

			s := tc.scene()
			t.Run(tc.Name, func(t *testing.T) { g.Check(t, s.reason, s.play(t)) })

			if !strings.HasSuffix(t.Name(), "/changes") {
				continue
			}

			s.run.AuditValues = true
			t.Run(tc.Name+"Values", func(t *testing.T) { g.Check(t, s.reason, s.play(t)) })
		}
	})
}

var repeated = regexp.MustCompile(`\$\{(.)\*(\d+)\}`)

// expand repeats what a text says.
func expand(text string) string {
	return repeated.ReplaceAllStringFunc(text, func(s string) string {
		found := repeated.FindStringSubmatch(s)
		n, _ := strconv.Atoi(found[2]) // The expression admits only digits.

		return strings.Repeat(found[1], n)
	})
}

// scene of the case.
func (tc *reportCase) scene() scene {
	s := scene{
		reason: tc.Reason, xr: string(tc.XR), composite: string(tc.Composite), context: string(tc.Context), edit: edits[tc.Edit], statusSchema: string(tc.StatusSchema),
		run: Run{Input: tc.Input},
		outcome: Facts{NotCopied: tc.NotCopied, Unmatched: tc.Unmatched, Violations: tc.Violations, Set: resolve.LabelSet{
			LeftOut: tc.Set.Cut, EmptySources: tc.Set.Empty, AmbiguousSources: tc.Set.Ambiguous, ClassChanges: tc.Set.Changes, Provider: tc.Set.Provider, Labels: tc.Set.Labels, Overridden: tc.Set.Overridden,
			Classes: make(map[string]object.Object),
		}},
	}

	if tc.Steps != nil {
		s.context = contextOf(string(tc.Steps))
	}

	for name, o := range tc.Set.Classes {
		s.outcome.Set.Classes[name] = object.FromStruct(tagstest.MustStructJSON(string(o)))
	}

	for i := range tc.Results {
		s.outcome.Results = append(s.outcome.Results, tc.Results[i].results()...)
	}

	s.outcome.Skips, s.outcome.CloudRefuses = skipsOf(tc.Skips), skipsOf(tc.CloudRefuses)

	return s
}

// results of the case.
func (c *resultCase) results() []stamp.Result {
	r := c.Result
	switch c.Like {
	case "untagged":
		r = untagged(r.Resource)
	case "unknown":
		r = unknown(r.Resource)
	}

	r.NoFieldReason = max(r.NoFieldReason, lackNames[c.Lacks])
	r.Records = slices.Concat(records(tags.Tagged, c.Tagged), recordsOf(tags.Retained, c.Retained...), recordsOf(tags.Ignored, c.Ignored...), recordsOf(tags.Removed, c.Removed...))

	for _, n := range c.Notes {
		n.Note.Kind = noteNames[n.Kind]
		r.Notes = append(r.Notes, n.Note)
	}

	for kind, keys := range map[stamp.NoteKind][]string{stamp.NoteProtected: c.Protected, stamp.NoteUnkept: c.Unkept} {
		if len(keys) > 0 {
			r.Notes = append(r.Notes, stamp.Note{Kind: kind, Keys: keys, More: map[stamp.NoteKind]int{stamp.NoteProtected: c.MoreProtected}[kind]})
		}
	}

	if c.Many == 0 {
		return []stamp.Result{r}
	}

	out := make([]stamp.Result, c.Many)
	for i := range out {
		out[i] = r
		out[i].Resource = fmt.Sprintf(r.Resource, i)
	}

	return out
}

func skipsOf(cases []skipCase) (out []stamp.Skip) {
	for _, c := range cases {
		if c.Value != "" {
			c.Field = &tagset.FieldKind{Profile: profile.Contract.ProfileOf(c.Provider, "", "")}
		}

		if c.Key != "" {
			c.QualifiedKey, c.TagKey = c.Key, "plexsphere:"+c.Key
		}

		out = append(out, c.Skip)
	}

	return out
}
