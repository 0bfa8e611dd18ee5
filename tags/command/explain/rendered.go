package explain

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/command/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/command/terminal"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/tagpolicy"
	"github.com/plexsphere/function-cloud-tags/tags/target"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// nameAnnotation is where Crossplane puts the name that a composed resource has in its pipeline.
const nameAnnotation = "crossplane.io/composition-resource-name"

// A Rendered resource is one that a pipeline has made, with its tags.
type Rendered struct {
	Resource   string `json:"resource"`
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Provider   string `json:"provider"`

	// LeftAlone is why the resource's tags aren't managed. If they are, they go to the field
	// at FieldPath, which has the Shape. Mismatch is why it can't be used, if it can't.
	LeftAlone string      `json:"leftAlone,omitempty"`
	FieldPath string      `json:"fieldPath,omitempty"`
	Shape     field.Shape `json:"shape,omitempty"`
	Mismatch  string      `json:"mismatch,omitempty"`

	// Limit says how many tags the resource may have, and Free how many more.
	Limit string `json:"limit,omitempty"`
	Free  int    `json:"free"`

	Tags []RenderedTag `json:"tags,omitempty"`

	// Labels that are no tags.
	Labels []LostLabel `json:"labels,omitempty"`

	// Broken are the rules of tagPolicy that the resource breaks.
	Broken []Broken `json:"tagPolicy,omitempty"`

	Notes []string `json:"notes,omitempty"`

	// unprofiled is why the profile is the generic one.
	unprofiled target.Unprofiled

	// keys returns the keys that tags can have for a key of a tag or of a label.
	keys func(key string) profile.KeySet
}

// A RenderedTag is a tag that a resource has. If it comes from a label, it has the label's qualified key and
// source. If not, Note says which value a label of its key has.
type RenderedTag struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Label  string `json:"label,omitempty"`
	Source string `json:"source,omitempty"`
	Note   string `json:"note,omitempty"`

	// CloudRefuses is why the API of the cloud refuses the tag, or empty if it doesn't.
	CloudRefuses profile.SkipReason `json:"cloudRefuses,omitempty"`
}

// A LostLabel is a label that is no tag of a resource. It has a Reason if it is skipped. A label of an expression
// without a value has none.
type LostLabel struct {
	QualifiedKey string             `json:"qualifiedKey"`
	TagKey       string             `json:"tagKey"`
	Value        string             `json:"value"`
	Source       string             `json:"source"`
	Reason       profile.SkipReason `json:"reason,omitempty"`
	Why          string             `json:"why"`

	absent bool
}

// rendering is all resources that a pipeline has made, by name.
type rendering struct {
	resources []*Rendered
	notes     []string

	// meant is true if the input asks for the contract's rules, whose warnings nobody needs then.
	meant bool
}

// rendered explains the tags of rendered resources.
func (c *Command) rendered(ctx context.Context, r *manifest.Reader) (explanation, error) {
	of, err := c.resolve(ctx, r)
	if err != nil {
		return nil, err
	}

	desired, err := composed(r, c.Rendered)
	if err != nil {
		return nil, err
	}

	s := of.stamper()

	targets, err := s.Targets(ctx, desired)
	if err != nil {
		return nil, err
	}

	s.Require(targets)
	of.answer()

	out := &rendering{meant: of.Input.ProfileRules == profile.Contract}
	byName := make(map[string]*Rendered, len(targets.All))

	for _, t := range targets.All {
		l, err := s.Look(t)
		if err != nil {
			return nil, err
		}

		x, err := of.look(l)
		if err != nil {
			return nil, err
		}

		byName[t.Name], out.resources = x, append(out.resources, x)
	}

	out.notes = slices.Concat(of.notes, words.Map(of.set.PerResource.Empty(), resolve.Lack.String))
	for _, path := range targets.Unmatched() {
		out.notes = append(out.notes, path+": selects no rendered resource")
	}

	for _, v := range tagpolicy.Check(s.Input, s.Transformer, targets, nil) {
		x := byName[v.Resource]
		b := newBroken(v.Breach, v.Rule, of.Input)

		if v.Kind == tagpolicy.Missing {
			b.Why = x.why(x.keys(b.Key))
		}

		x.Broken = append(x.Broken, b)
	}

	out.addNotes(of, targets)
	out.noteUnprofiled()

	return out, nil
}

// composed returns the composed resources in the output of a render, by the name that each has in its
// pipeline.
func composed(r *manifest.Reader, file string) (map[string]*fnv1.Resource, error) {
	objects, err := r.Objects(file)
	if err != nil {
		return nil, err
	}

	out := make(map[string]*fnv1.Resource)

	for _, o := range objects {
		name := object.Annotations(object.Tree(o)).Field(nameAnnotation).Text()
		if name == "" {
			continue
		}

		if out[name] != nil {
			return nil, errors.Errorf("cannot explain %s: it has several composed resources %q, and one composite resource can be explained at a time", file, name)
		}

		out[name] = &fnv1.Resource{Resource: o}
	}

	if len(out) == 0 {
		return nil, errors.Errorf("cannot explain %s: none of its %d objects is a composed resource, which have the annotation %s", file, len(objects), nameAnnotation)
	}

	return out, nil
}

// stamper of the step, which knows neither schemas nor what is observed.
func (r *resolved) stamper() *stamp.Stamper {
	return &stamp.Stamper{
		Finder: target.Finder{
			Input:          r.Input,
			Provider:       r.set.Provider,
			CompositeGroup: object.GVK(object.Tree(r.xr)).Group,
			Fields:         func(schemas field.Schemas) field.Locator { return field.ForInput(r.Input, schemas) },
			Schemas:        field.Schemas{Of: func(schema.GroupVersionKind) object.Node { return object.Node{} }},
		},
		Transformer: r.set.Transformer(r.Input),
		PerResource: r.set.PerResource,
		Remove:      r.set.Remove,
		Ignore:      r.set.Ignore,
	}
}

// look returns the explanation of the target.
func (r *resolved) look(l *stamp.Look) (*Rendered, error) {
	x := &Rendered{Resource: l.Name, APIVersion: l.Kind.APIVersion, Kind: l.Kind.Kind.Kind, Provider: l.Profile.Name, LeftAlone: l.LeftAlone, Mismatch: l.Mismatch}
	if l.LeftAlone != "" {
		return x, nil
	}

	x.FieldPath, x.Shape, x.unprofiled = l.Field.Path.String(), l.Field.Shape, l.Unprofiled
	if l.Mismatch != "" {
		return x, nil
	}

	x.Limit, x.Free = l.Limit, l.Free
	x.keys = func(key string) profile.KeySet { return l.Profile.KeySet(l.Labels.TagKeys(key)...) }

	ignore := newKeyRules("ignoreTags", r.set.Ignore, l.Labels, l.Profile)
	there := make(map[tags.Label]bool)

	for i := range l.Tags {
		t := RenderedTag{Key: l.Tags[i].Key, Value: l.Tags[i].Value}

		if of := l.Tags[i].Label; of != nil {
			r.compare(&t, of, ignore)
			there[of.Label] = true
		} else if k := ignore.First(&tags.Tag{Key: t.Key, Value: t.Value}); k != nil {
			t.Note = ignore.rule(k)
		}

		if slices.Contains(l.Field.ProviderTags, t.Key) {
			t.Source = "the provider"
		}

		t.refuse(l.CloudRefuses)
		x.Tags = append(x.Tags, t)
	}

	absent, err := r.set.PerResource.Absent(&resolve.Composed{Name: l.Name, Desired: l.Resource})
	x.Labels = r.lost(l, there, absent)

	return x, err
}

// compare notes how the tag differs from that of a label with the same key.
func (r *resolved) compare(t *RenderedTag, of *tags.Tag, ignore *keyRules) {
	if of.Value == t.Value {
		t.Label, t.Source = of.QualifiedKey, r.title(of.Label)
		return
	}

	t.Note = "label " + words.Cell(of.QualifiedKey) + " has " + strconv.Quote(of.Value)
	if k := ignore.First(of); k != nil {
		t.Note += " (" + ignore.rule(k) + ")"
	}
}

// lost returns the labels whose tag isn't there, and those without a value, and why.
func (r *resolved) lost(l *stamp.Look, there map[tags.Label]bool, absent []resolve.Absent) (out []LostLabel) {
	add := func(t *tags.Tag, reason profile.SkipReason, why string) {
		out = append(out, LostLabel{QualifiedKey: t.QualifiedKey, TagKey: t.Key, Value: t.Value, Source: r.title(t.Label), Reason: reason, Why: why})
	}

	fieldRefuses := make(map[string]stamp.Skip)
	for _, s := range l.Refused {
		fieldRefuses[s.TagKey] = s
	}

	remove := newKeyRules("removeTags", r.set.Remove, l.Labels, l.Profile)

	for i := range l.Labels.Tags {
		t := &l.Labels.Tags[i]
		skip, refused := fieldRefuses[t.Key]
		rule := remove.First(t)

		switch {
		case there[t.Label]:
		case refused:
			add(t, skip.Reason, skip.Limit)
		case rule != nil:
			add(t, "", "removed ("+remove.rule(rule)+")")
		case l.Free <= 0:
			add(t, profile.CountCap, l.Limit)
		case l.Field.Fixed || l.Field.Immutable:
			add(t, "", "missing: the resource keeps the tags that it was made with")
		default:
			add(t, "", "missing: it was rendered with other labels, or a later step has removed the tag")
		}
	}

	for i := range l.Labels.Refused {
		f := &l.Labels.Refused[i]
		add(&f.Tag, f.Reason, l.Profile.Limit(f.Reason))
	}

	for i := range absent {
		t, _ := l.Labels.Judge(absent[i].Label)
		add(&t, "", absent[i].Why)
		out[len(out)-1].absent = true
	}

	slices.SortStableFunc(out, func(a, b LostLabel) int {
		return cmp.Or(strings.Compare(a.QualifiedKey, b.QualifiedKey), strings.Compare(a.TagKey, b.TagKey))
	})

	return out
}

// why says why no tag has one of the keys, by the labels that have one of them.
func (x *Rendered) why(keys profile.KeySet) string {
	var out []string

	for i := range x.Labels {
		if l := &x.Labels[i]; keys.Has(l.TagKey) {
			out = append(out, "label "+words.Cell(l.QualifiedKey)+": "+cmp.Or(string(l.Reason), l.Why))
		}
	}

	return cmp.Or(strings.Join(out, ", "), whyMissing)
}

// addNotes notes what isn't known of the targets.
func (x *rendering) addNotes(of *resolved, targets *target.Targets) {
	var kinds []string
	for k := range targets.Schemas() {
		kinds = append(kinds, k.GroupVersion().String()+" "+k.Kind)
	}

	slices.Sort(kinds)

	if len(kinds) > 0 {
		x.notes = append(x.notes, "the schemas that the function may look these kinds up in aren't known: "+words.Names(kinds, 0))
	}

	for _, e := range of.set.PerResource.Observing() {
		x.notes = append(x.notes, e+" mentions observed, which isn't known, only what is rendered")
	}

	if len(of.set.Ignore) > 0 {
		x.notes = append(x.notes, "ignoreTags: what the cloud has isn't known, only what is rendered")
	}
}

func (x *rendering) found() (of strictError) {
	for _, r := range x.resources {
		of.broken += len(r.Broken)

		for i := range r.Tags {
			if r.Tags[i].CloudRefuses != "" && !x.meant {
				of.refused++
			}
		}

		for i := range r.Labels {
			if r.Labels[i].Reason != "" {
				of.skipped++
			}
		}
	}

	return of
}

func (x *rendering) values() any {
	for _, r := range x.resources {
		r.Notes = x.notes
	}

	return x.resources
}

// table of resources, one of their tags, and what else there is to say.
func (x *rendering) table(t terminal.Terminal) string {
	resources := [][]terminal.Cell{terminal.Header("RESOURCE", "KIND", "PROFILE", "TAGS", "FIELD")}
	all := [][]terminal.Cell{terminal.Header("RESOURCE", "TAG", "VALUE", "FROM", "NOTE")}
	legend := strings.Builder{}

	for _, r := range x.resources {
		resources = append(resources, r.row())
		all = append(all, r.tagRows()...)

		if r.Mismatch != "" {
			fmt.Fprintf(&legend, "%s: %s\n", words.Cell(r.Resource), r.Mismatch)
		}

		for i := range r.Broken {
			fmt.Fprintf(&legend, "%s %s\n", words.Cell(r.Resource), r.Broken[i].String())
		}
	}

	for _, note := range x.notes {
		fmt.Fprintf(&legend, "note: %s\n", note)
	}

	out := t.Table(resources)

	if len(all) > 1 {
		out += "\n" + t.Table(all)
	}

	if legend.Len() > 0 {
		out += "\n" + legend.String()
	}

	return out
}

// row of the resource among others.
func (x *Rendered) row() []terminal.Cell {
	row := []terminal.Cell{{Text: words.Cell(x.Resource)}, {Text: words.Cell(x.Kind) + " " + words.Cell(x.APIVersion)}, {Text: x.Provider}, {Text: "-"}, {Text: x.LeftAlone}}

	switch {
	case x.Mismatch != "":
		row[3] = terminal.Cell{Text: "not usable", Color: terminal.Red}
	case x.FieldPath != "":
		row[3].Text = fmt.Sprintf("%d, %d free", len(x.Tags), x.Free)
	}

	if x.FieldPath != "" {
		row[4].Text = fmt.Sprintf("%s (%s)", x.FieldPath, x.Shape)
	}

	return row
}

// tagRows are those of the resource's tags, and of labels that are none.
func (x *Rendered) tagRows() (rows [][]terminal.Cell) {
	name := terminal.Cell{Text: words.Cell(x.Resource)}

	for _, tag := range x.Tags {
		key := terminal.Cell{Text: words.Cell(tag.Key)}
		switch {
		case tag.CloudRefuses != "":
			key.Color = terminal.Red
		case tag.Label != "":
			key.Color = terminal.Green
		}

		rows = append(rows, []terminal.Cell{name, key, {Text: words.Cell(tag.Value)}, {Text: cmp.Or(tag.Source, "-")}, {Text: cmp.Or(tag.Note, "-")}})
	}

	for i := range x.Labels {
		l := &x.Labels[i]

		why := l.Why
		if l.Reason != "" {
			why = fmt.Sprintf("%s (%s)", l.Reason, l.Why)
		}

		value := words.Cell(l.Value)
		if l.absent {
			value = "-"
		}

		rows = append(rows, []terminal.Cell{name, {Text: "-", Color: terminal.Red}, {Text: value}, {Text: words.Cell(l.Source)}, {Text: "label " + words.Cell(l.QualifiedKey) + ": " + why}})
	}

	return rows
}
