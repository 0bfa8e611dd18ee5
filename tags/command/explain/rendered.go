package explain

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/command"
	"github.com/plexsphere/function-cloud-tags/tags/command/terminal"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/report"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/tagpolicy"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A Rendered resource is one that a pipeline has made, with its tags.
type Rendered struct {
	RenderedField

	Resource   string `json:"resource"`
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Provider   string `json:"provider"` // The name of the tag profile, such as aws.

	// LeftAlone is why the resource's tags aren't managed. If they are, they are in the RenderedField.
	LeftAlone string `json:"leftAlone,omitempty"`

	// Launched are the fields for launched resources.
	Launched []*RenderedField `json:"launched,omitempty"`

	// Broken are the rules of tagPolicy that the resource breaks.
	Broken []BrokenRule `json:"tagPolicy,omitempty"`

	Notes []string `json:"notes,omitempty"`

	// target is the resource, and plans has the plan of its tag field, and then the plans of the Launched fields.
	target *locate.Target
	plans  []*stamp.Plan
}

// A RenderedField is a tag field at FieldPath, which has the Shape. Mismatch is why it can't be used, if it can't.
type RenderedField struct {
	FieldPath string      `json:"fieldPath,omitempty"`
	Shape     field.Shape `json:"shape,omitempty"`
	Mismatch  string      `json:"mismatch,omitempty"`

	// Limit says how many tags the field may have, and Free how many more.
	Limit string `json:"limit,omitempty"`
	Free  int    `json:"free"`

	Tags []RenderedTag `json:"tags,omitempty"`

	// Labels that are no tags.
	Labels []LostLabel `json:"labels,omitempty"`

	// Service has the limits of the field's tags, if a label breaks one of them and they have a source.
	Service *profile.Service `json:"service,omitempty"`
}

// A RenderedTag is a tag of a resource. A tag of a label has the qualified key and source of the label. On another tag,
// Note says which value a label of its key has.
type RenderedTag struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Label  string `json:"label,omitempty"`
	Source string `json:"source,omitempty"`
	Note   string `json:"note,omitempty"`

	// Manager is the field manager that owns the tag in the cluster, if it isn't Crossplane's.
	Manager string `json:"manager,omitempty"`

	// CloudRefuses is why the API of the cloud refuses the tag, or empty if it doesn't.
	CloudRefuses profile.SkipReason `json:"cloudRefuses,omitempty"`

	// differs says that a label has the tag's key, and another value.
	differs bool
}

// A LostLabel is a label without a tag on a resource. It has a Reason if it is skipped, and none if its expression has
// no value.
type LostLabel struct {
	QualifiedKey string             `json:"qualifiedKey"`
	TagKey       string             `json:"tagKey"`
	Value        string             `json:"value"`
	Source       string             `json:"source"`
	Reason       profile.SkipReason `json:"reason,omitempty"`
	Why          string             `json:"why"`

	// NoValue says that there is no Value, because the expression of the label has none.
	NoValue bool `json:"noValue,omitempty"`

	// forOthers says that the source of the label leaves the resource out, and that no other source tries to give the label.
	forOthers bool
}

// String returns the label, and why it is no tag.
func (l *LostLabel) String() string {
	why := l.Why
	if l.Reason != "" {
		why = fmt.Sprintf("%s (%s)", l.Reason, l.Why)
	}

	return "label " + words.Cell(l.QualifiedKey) + ": " + why
}

// A rendering has all resources that a pipeline has made, by name.
type rendering struct {
	RecordedRun

	// isRecorded says that the function has answered a recorded request.
	isRecorded bool

	// meant says that the input asks for the contract's rules, so that nobody needs to be warned of them.
	meant bool

	// fails says that the function fails.
	fails bool

	// faults of the step, which Events or Notes have, too.
	faults []string
}

// rendered explains the tags of rendered resources.
func (c *Command) rendered(ctx context.Context, r *manifest.Reader) (answer, error) {
	_, run, err := c.trace(ctx, r)
	if err != nil {
		return nil, err
	}

	if xr := object.FromStruct(run.composite()); len(run.Request.GetObserved().GetResources()) == 0 && len(report.Digests(xr)) > 0 {
		run.notes = append(run.notes, "the composite resource has its status: a render of it has no results that were told before")
	}

	for path, entries := range run.Input.Selectors() {
		// A render, and a cluster, have the tags of all steps.
		if slices.ContainsFunc(entries, func(e v1beta1.ResourceSelector) bool {
			return len(e.MatchTags) > 0 || slices.ContainsFunc(e.Except, func(m v1beta1.ResourceMatch) bool { return len(m.MatchTags) > 0 })
		}) {
			run.notes = append(run.notes, run.Input.Where("%sresources", path)+": matchTags selects by tags of earlier steps, and here by all tags that are rendered, since nobody knows whose they are")
		}
	}

	out := &rendering{}
	out.add(run)

	return out, nil
}

// add explains the tags of the run's resources.
func (x *rendering) add(t *trace) {
	x.meant = t.Input.ProfileRules == profile.Contract
	x.faults = words.Distinct(append(x.faults, t.faults()...))
	byName := make(map[string]*Rendered, len(t.Targets.All))

	var profiles []string

	for _, target := range t.Targets.All {
		r := t.resource(target)
		byName[target.Name], x.Resources = r, append(x.Resources, r)

		// A fault says which provider is misspelled.
		if target.HasField() && target.WhyGeneric != (locate.WhyGeneric{}) && profile.Meant(target.WhyGeneric.Provider) == "" {
			profiles = append(profiles, unprofiled(target.WhyGeneric))
		}
	}

	unmatched := words.Map(t.Targets.Unmatched(), func(path string) string { return path + ": selects no rendered resource" })
	x.Notes = slices.Concat(words.MapIf(x.faults, func(fault string) (string, bool) { return fault, !x.hasEvent(fault) }), t.notes, words.Map(t.Set.PerResource.EmptySources(), resolve.SourceNote.String), unmatched)

	if err := command.Fatal(t.rsp); err != nil {
		x.fails, x.Notes = true, append(x.Notes, fails+err.Error())
	}

	tagpolicy.EachBreach(t.Input, t.Stamper.Transformer, t.Targets, nil, t.Outcome, func(target *locate.Target, rule int, breach tagpolicy.Breach) {
		r := byName[target.Name]
		r.Broken = append(r.Broken, newBrokenRule(breach, rule, t.Input, r.why))
	})

	x.addNotes(t)
	x.Notes = append(x.Notes, words.Distinct(profiles)...)
}

// hasEvent reports whether the run returns an event with the fault.
func (x *rendering) hasEvent(fault string) bool {
	return slices.ContainsFunc(x.Events, func(e Event) bool { return fault == e.Reason+": "+e.Message })
}

// composed returns the composed resources in the file, by the name that each has in its pipeline: in the output of a
// render, or in a list from a cluster. In a cluster, nested composite resources hand on their labels, so that their
// resources have the labels of xr, too: ownerReferences tell them apart.
func composed(r *manifest.Reader, file string, xr object.Object) (map[string]*fnv1.Resource, error) {
	objects, err := r.Objects(file)
	if err != nil {
		return nil, err
	}

	out := make(map[string]*fnv1.Resource)
	others := 0

	for _, o := range objects {
		name := object.Annotations(object.FromStruct(o)).Field(object.ResourceNameAnnotation).Text()
		if name == "" {
			continue
		}

		if uid := uidOf(xr); uid != "" && cmp.Or(controllerOf(object.FromStruct(o)).Field("uid").Text(), uid) != uid {
			others++
			continue
		}

		if out[name] != nil {
			return nil, errors.Errorf("cannot explain %s: it has several composed resources %q: give a file with those of one composite resource", file, name)
		}

		out[name] = &fnv1.Resource{Resource: o}
	}

	switch {
	case len(out) > 0:
		return out, nil
	case others > 0:
		return nil, errors.Errorf("cannot explain %s: none of its %d composed resources is one of %s, by their ownerReferences: render this composite resource", file, others, words.Name(object.Title(xr)))
	default:
		return nil, errors.Errorf("cannot explain %s: none of its %d objects is a composed resource with the annotation %s: give the output of crossplane composition render", file, len(objects), object.ResourceNameAnnotation)
	}
}

// uidOf returns the uid of the object, or nothing if it isn't from a cluster.
func uidOf(o object.Object) string { return o.Node().Field("metadata").Field("uid").Text() }

// resource returns the explanation of the target.
func (t *trace) resource(target *locate.Target) *Rendered {
	x := &Rendered{
		Resource: target.Name, APIVersion: target.Kind.APIVersion, Kind: target.Kind.Kind.Kind, Provider: target.Profile.Name, LeftAlone: leftAlone(target),
		target: target, plans: t.Plans(target),
	}

	if len(x.plans) == 0 && x.LeftAlone == "" {
		x.LeftAlone = "not decided on, since the function fails before"
	}

	for i, p := range x.plans {
		f, kind := t.field(p), target.Kind.Tagged().Kind
		if i > 0 {
			kind = profile.LaunchedKind(kind, f.FieldPath)
		}

		if s, ok := profile.ServiceOf(x.Provider, target.Kind.Tagged().Group, kind); ok && f.breaksLimits(profile.Of(x.Provider)) {
			f.Service = &s
		}

		if i == 0 {
			x.RenderedField = *f
		} else {
			x.Launched = append(x.Launched, f)
		}
	}

	return x
}

// leftAlone returns why the tags of the target aren't managed, or an empty string if they are.
func leftAlone(target *locate.Target) string {
	switch {
	case target.LeaveReason == locate.None && target.Selected:
		return target.WhyLeftAlone(target.WhyWithoutField()) // It is empty if the target has a tag field.
	case target.LeaveReason == locate.None:
		return target.WhyLeftAlone(target.WhyUnselected())
	case uidOf(target.Resource) != "": // Not if somebody has edited the object.
		return target.WhyLeftAlone(target.LeaveReason) + " (which leaves it alone only if the Composition sets it, too)"
	default:
		return target.WhyLeftAlone(target.LeaveReason)
	}
}

// breaksLimits reports whether a label is skipped, or its tag refused, for a limit that the general profile doesn't have.
func (x *RenderedField) breaksLimits(general *profile.Profile) bool {
	return slices.ContainsFunc(x.Tags, func(t RenderedTag) bool { return t.CloudRefuses != "" }) ||
		slices.ContainsFunc(x.Labels, func(l LostLabel) bool { return l.Reason != "" && !l.hasLimit(general.Limit(l.Reason)) })
}

// hasLimit reports whether the label is skipped for the limit. After it, Why also has slots that aren't free, or the tag's fault.
func (l *LostLabel) hasLimit(limit string) bool { return strings.HasPrefix(l.Why, limit) }

// field returns the explanation of the tag field of the plan.
func (t *trace) field(p *stamp.Plan) *RenderedField {
	x := &RenderedField{FieldPath: p.FieldName(), Shape: p.Field().Shape, Mismatch: p.Mismatch}
	if p.Mismatch != "" {
		return x
	}

	if !p.HandsLabelsOn { // Labels that are handed on have no other limit than a schema's, which isn't known.
		x.Limit, x.Free = p.Slots()
	}

	records := p.LabelRecords()

	for e := range p.TagsBefore() {
		x.Tags = append(x.Tags, t.tag(p, records, e))
	}

	x.Labels = t.lost(p, records)

	return x
}

// tag returns the explanation of the tag e of the field. records are about the labels of the field.
func (t *trace) tag(p *stamp.Plan, records []tags.Judged, e *tagset.Entry) RenderedTag {
	x := RenderedTag{Key: e.Key, Value: tagset.TextOf(e.Value), Manager: p.ManagerOf(e)}
	label := p.LabelOf(e)

	// An entry of ignoreTags can name a qualified key, which only the tag of a label has.
	rule := entryName("ignoreTags", p.IgnoredBy(cmp.Or(label, &tags.Tag{Key: x.Key, Value: x.Value})))

	switch {
	case label == nil:
		x.Note = rule
	case label.Value == x.Value:
		x.Label, x.Source = label.QualifiedKey, t.title(label.Label)
	default:
		x.differs = true
		x.Note = "label " + words.Cell(label.QualifiedKey) + " has " + strconv.Quote(label.Value)
		isWithheld := func(j tags.Judged) bool { // A tag of another field manager is from no step, though it is retained like those.
			return (j.Fate == tags.Retained && x.Manager == "" || j.Fate == tags.Ignored) && j.Key == x.Key
		}

		if rule != "" {
			x.Note += " (" + rule + ")"
		} else if i := slices.IndexFunc(records, isWithheld); i >= 0 {
			x.Note += ": " + whyLost(records[i].Fate)
		} else if x.Manager == "" {
			x.Note += ": it was rendered with another value, or a later step has set the tag"
		}
	}

	if slices.Contains(p.Field().ProviderTags, x.Key) {
		x.Source = "the provider"
	}

	if x.Manager != "" {
		x.Note = strings.TrimPrefix(x.Note+", the field manager "+words.Cell(x.Manager)+" has it", ", ")
	}

	refused := func(j tags.Judged) bool { return j.Fate == tags.Tagged && j.Reason != "" && j.Key == x.Key }
	if i := slices.IndexFunc(records, refused); x.Label != "" && i >= 0 {
		x.CloudRefuses = records[i].Reason
		x.Note = fmt.Sprintf("the cloud refuses it: %s (%s)", records[i].Reason, records[i].Limit)
	}

	return x
}

// whyLost says why a label with the fate has no tag of its value, unless it is skipped or removed.
func whyLost(fate tags.Fate) string {
	switch fate {
	case tags.Retained:
		return "an earlier step set another value"
	case tags.Ignored:
		return "as the cloud has it, because of ignoreTags"
	case tags.Undecided, tags.Tagged, tags.Skipped, tags.Removed, tags.TakenAway:
	}

	return "missing: it was rendered with other labels, or a later step has removed the tag"
}

// whyEarly is why no label is a tag if the step receives no resources.
const whyEarly = "missing: the step stands before the steps that make resources"

// lost returns the labels without a tag, by their records, the labels of sources that aren't for the resource, and the labels without a value,
// and why.
func (t *trace) lost(p *stamp.Plan, records []tags.Judged) (out []LostLabel) {
	for _, l := range t.LabelsOfOthers(p) {
		tag, _ := p.Transformed().Judge(l)

		given := slices.IndexFunc(records, func(j tags.Judged) bool { return j.Key == tag.Key })
		if given >= 0 && records[given].Reason != profile.ReservedKey {
			continue // Another source gives it.
		}

		out = append(out, LostLabel{
			QualifiedKey: tag.QualifiedKey, TagKey: tag.Key, Value: tag.Value, Source: t.title(tag.Label), NoValue: tag.Value == "",
			Why: tag.Source.Name + " isn't for this resource", forOthers: given < 0,
		})
	}

	for i := range records {
		label := &records[i]

		why, reason := whyLost(label.Fate), profile.SkipReason("")

		switch {
		case p.HadTag(label):
			continue
		case label.Fate == tags.Skipped:
			why, reason = label.Limit, label.Reason
			if fault := p.Fault(label); fault != "" {
				why += ", not " + fault
			}
		case label.Fate == tags.Removed:
			why = "removed (" + entryName("removeTags", p.RemovedBy(label.Tag)) + ")"
		case p.Field().Fixed || p.Field().Immutable:
			why = "missing: the resource keeps the tags that it was made with"
		case label.Fate == tags.Tagged && t.early != "":
			why = whyEarly
		}

		out = append(out, LostLabel{
			QualifiedKey: label.QualifiedKey, TagKey: label.Key, Value: label.Value, Source: t.title(label.Label), Reason: reason, Why: why,
		})
	}

	for _, valueless := range p.ValuelessLabels() {
		tag, _ := p.Transformed().Judge(valueless.Label)
		out = append(out, LostLabel{QualifiedKey: tag.QualifiedKey, TagKey: tag.Key, Source: t.title(tag.Label), Why: valueless.Why, NoValue: true})
	}

	slices.SortStableFunc(out, func(a, b LostLabel) int {
		return cmp.Or(strings.Compare(a.QualifiedKey, b.QualifiedKey), strings.Compare(a.TagKey, b.TagKey))
	})

	return out
}

// why says why no tag has the key of a rule. It names each label of the key, and the reason for its fate, such as count-cap.
func (x *Rendered) why(key string) string {
	return whyMissing(key, x.plans[0], x.target.Profile, words.Map(x.Labels, func(l LostLabel) lack {
		return lack{l.TagKey, "label " + words.Cell(l.QualifiedKey) + ": " + cmp.Or(string(l.Reason), l.Why)}
	}))
}

// addNotes notes which facts about the resources aren't known.
func (x *rendering) addNotes(run *trace) {
	kinds := words.MapIf(slices.Collect(run.Targets.Schemas()), func(k schema.GroupVersionKind) (string, bool) {
		return k.GroupVersion().String() + " " + k.Kind, !run.Stamper.Schemas.Of(k).IsObject()
	})
	slices.Sort(kinds)

	if len(kinds) > 0 {
		x.Notes = append(x.Notes, "the schemas that the function may look these kinds up in aren't known: "+words.Names(kinds))
	}

	showable := words.MapIf(x.Resources, func(r *Rendered) (string, bool) {
		return r.Resource, r.LeftAlone == "" && r.target.MayBeInInstanceMetadata()
	})

	if len(showable) > 0 {
		x.Notes = append(x.Notes, "instanceMetadataTags isn't set, and the defaults of the account or the settings of the AMI can enable it, "+
			"so that EC2 refuses keys with a slash or a space: "+words.Names(showable))
	}

	observed := run.Request.GetObserved().GetResources()
	if len(observed) == 0 {
		x.Notes = append(x.Notes, words.Map(run.Set.PerResource.ObservingExpressions(), func(expression string) string {
			return expression + " mentions observed, which isn't known, only what is rendered"
		})...)

		if len(run.Set.Ignore) > 0 {
			x.Notes = append(x.Notes, "ignoreTags: what the cloud has isn't known, only what is rendered")
		}

		return
	}

	owned := func(r *fnv1.Resource) bool {
		return !object.Of(r).Node().Field("metadata").Field("managedFields").IsNull()
	}

	if !slices.ContainsFunc(slices.Collect(maps.Values(observed)), owned) {
		x.Notes = append(x.Notes, "who owns tags isn't known, since the resources have no metadata.managedFields: kubectl get has a flag --show-managed-fields")
	}
}

// fields returns the tag field of the resource, and its fields for launched resources.
func (x *Rendered) fields() []*RenderedField {
	return append([]*RenderedField{&x.RenderedField}, x.Launched...)
}

func (x *rendering) found() (out strictError) {
	for _, r := range x.Resources {
		out.broken += len(r.Broken)

		// A label that several fields can't have is one label.
		fields := r.fields()
		all := slices.Concat(words.Map(fields, func(f *RenderedField) []RenderedTag { return f.Tags })...)
		labels := slices.Concat(words.Map(fields, func(f *RenderedField) []LostLabel { return f.Labels })...)

		refused := words.MapIf(all, func(t RenderedTag) (string, bool) { return t.Key, t.CloudRefuses != "" && !x.meant })
		skipped := words.MapIf(labels, func(l LostLabel) ([3]string, bool) {
			return [3]string{l.TagKey, l.QualifiedKey, l.Source}, l.Reason != ""
		})

		out.refused += len(words.Distinct(refused))
		out.skipped += len(words.Distinct(skipped))
	}

	if x.fails {
		out.fails = 1
	}

	out.faults = len(x.faults)

	return out
}

func (x *rendering) values() any {
	if x.isRecorded {
		return x.RecordedRun
	}

	for _, r := range x.Resources {
		r.Notes = x.Notes
	}

	return x.Resources
}

// table returns one table of resources, one of their tags, and all notes.
func (x *rendering) table(t terminal.Terminal) string {
	resources := [][]terminal.Cell{terminal.Header("RESOURCE", "KIND", "PROFILE", "TAGS", "FIELD")}
	all := [][]terminal.Cell{terminal.Header("RESOURCE", "TAG", "VALUE", "FROM", "NOTE")}
	notes := x.lines()

	for _, r := range x.Resources {
		for i, f := range r.fields() {
			name := words.Cell(r.Resource)
			if i > 0 {
				name += " " + words.Cell(f.FieldPath)
			}

			resources = append(resources, r.row(f))
			all = append(all, f.tagRows(terminal.Cell{Text: name})...)

			if f.Mismatch != "" {
				notes = append(notes, name+": "+f.Mismatch)
			}

			if f.Service != nil {
				notes = append(notes, fmt.Sprintf("%s: limits of %s by %s", name, f.Service.Name, strings.Join(f.Service.Sources, ", ")))
			}
		}

		notes = append(notes, words.Map(r.Broken, func(b BrokenRule) string { return words.Cell(r.Resource) + " " + b.String() })...)
	}

	notes = append(notes, words.Map(x.Notes, titled)...)

	out := strings.TrimPrefix(below(x.Causes), "\n")

	if len(resources) == 1 { // There is nothing below the header.
		return strings.TrimPrefix(out+below(notes), "\n")
	}

	if out != "" {
		out += "\n"
	}

	out += t.Table(resources)

	if len(all) > 1 {
		out += "\n" + t.Table(all)
	}

	return out + below(notes)
}

// row returns the row of the resource with its field f.
func (x *Rendered) row(f *RenderedField) []terminal.Cell {
	row := []terminal.Cell{{Text: words.Cell(x.Resource)}, {Text: words.Cell(x.Kind) + " " + words.Cell(x.APIVersion)}, {Text: x.Provider}, {Text: "-"}, {Text: x.LeftAlone}}

	switch {
	case f.Mismatch != "":
		row[3] = terminal.Cell{Text: "not usable", Color: terminal.Red}
	case f.Shape == field.Labels:
		row[3].Text = words.Count(len(f.Tags), "label", "labels")
	case f.FieldPath != "":
		row[3].Text = fmt.Sprintf("%d, %d free", len(f.Tags), f.Free)
	}

	if f.FieldPath != "" {
		row[4].Text = fmt.Sprintf("%s (%s)", f.FieldPath, f.Shape)
	}

	return row
}

// tagRows returns the rows of the field's tags, and of lost labels, with the name.
func (x *RenderedField) tagRows(name terminal.Cell) (rows [][]terminal.Cell) {
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

		value := words.Cell(l.Value)
		if l.NoValue {
			value = "-"
		}

		rows = append(rows, []terminal.Cell{name, {Text: "-", Color: terminal.Red}, {Text: value}, {Text: words.Cell(l.Source)}, {Text: l.String()}})
	}

	return rows
}
