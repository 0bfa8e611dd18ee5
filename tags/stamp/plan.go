package stamp

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// A Plan says which tags one resource gets in its tag field, or in one of its fields for launched resources.
type Plan struct {
	Result

	target *locate.Target
	labels *Labels

	// launchedName is the name of a field for launched resources that gets labels, such as spec.forProvider.volumeTags. Plans for other
	// fields have none.
	launchedName string

	// decision is nil if the tags can't be read, or if there is nothing to decide.
	decision *Decision

	// before is the state before the decision. Only a Trace has plans with it.
	before *State

	// getsDecidedTags reports whether the resource gets the decided tags, or has them already. It is false if the field can't be written. As
	// long as it is false, allRecords aren't reported.
	getsDecidedTags bool

	// allRecords has the records of all labels for the field, except labels that the tag profile skips. If a field gets no labels, it has
	// only records of tags that are taken away: see planReserved.
	allRecords []tags.Judged

	// restoredProviderTags reports whether the function desiredTags has put the provider's own tags, such as crossplane-kind, back into an
	// atomic list that earlier steps desire. Without them, Crossplane would remove these tags.
	restoredProviderTags bool
}

// newPlan returns a plan for t with the labels l, before any decision.
func newPlan(t *locate.Target, l *Labels) *Plan {
	return &Plan{
		Result: Result{Resource: t.Name, APIVersion: t.Kind.APIVersion, Kind: t.Kind.GroupVersionKind.Kind, Provider: t.Profile.Name, HandsLabelsOn: t.Profile.HandsLabelsOn},
		target: t, labels: l,
	}
}

// stampedResource returns the resource with the tags of the plan. If the plan changes nothing, that is the desired resource.
func (p *Plan) stampedResource() object.Object {
	if p.Stamped.IsZero() {
		return p.target.Resource
	}

	return p.Stamped
}

// recordMismatch reports whether there is an error, and puts its message into the Mismatch of p, for the result.
func (p *Plan) recordMismatch(err error) bool {
	if err != nil {
		p.Mismatch = err.Error()
	}

	return err != nil
}

// conclude sets what is told of p, since the resource gets the decided tags.
func (p *Plan) conclude() {
	p.Records, p.Trusted, p.getsDecidedTags = p.allRecords, p.decision.trustedTags(), true
}

// Field returns the field of the plan.
func (p *Plan) Field() *field.Field { return p.target.Field }

// FieldName returns the path of the field. In a list, it has the key of the item: spec.forProvider.tagSpecifications[volume].tags.
func (p *Plan) FieldName() string { return cmp.Or(p.launchedName, p.target.Field.Path.String()) }

// Transformed returns all labels as tags of the profile.
func (p *Plan) Transformed() *tags.Transformed { return p.labels.transformed }

// ValuelessLabels returns the labels whose expressions have no value for the resource.
func (p *Plan) ValuelessLabels() []resolve.ValuelessLabel { return p.labels.origin.valueless }

// LabelRecords returns the records of all labels, in the order in which they take tag slots. Labels that the profile skips come last.
func (p *Plan) LabelRecords() []tags.Judged {
	// The record of a tag that is taken away is about no label.
	records := slices.DeleteFunc(slices.Clone(p.allRecords), func(r tags.Judged) bool { return r.Fate == tags.TakenAway })

	return append(records, p.labels.skipped...)
}

// Slots returns how many tags the resource may have, in a few words, and the number of free slots before anything is decided. It is
// negative if there are too many tags.
func (p *Plan) Slots() (limit string, free int) { return p.before.limitText(), p.before.freeSlots() }

// TagsBefore yields the tags of the desired field before anything is decided, in their order. Tags that only other field managers have set
// in the observed field follow. In a list of strings, each string is a tag, even "note", which has no separator.
func (p *Plan) TagsBefore() iter.Seq[*tagset.Entry] {
	return func(yield func(*tagset.Entry) bool) {
		for e := range p.before.present() {
			if e.Opaque && e.String() != "" {
				e = asTag(e, p.labels.Separator)
			}

			if !e.Opaque && !yield(e) {
				return
			}
		}
	}
}

// asTag returns the string of the opaque entry e as a tag. The key ends before the first separator: x=y=z is the tag x: y=z.
func asTag(e *tagset.Entry, separator string) *tagset.Entry {
	tag := *e
	key, value, hasSeparator := strings.Cut(e.String(), separator)

	tag.Key, tag.Opaque = cmp.Or(key, e.String()), false
	if hasSeparator && key != "" {
		tag.Value = object.TextNode(value)
	}

	return &tag
}

// LabelOf returns the label with the key of the tag e, as a tag, or nil.
func (p *Plan) LabelOf(e *tagset.Entry) *tags.Tag {
	if i, ok := p.labels.positionOf(e); ok {
		return p.labels.all[i].Tag
	}

	return nil
}

// ManagerOf returns the name of the other field manager that owns the tag e in the observed resource, or an empty string.
func (p *Plan) ManagerOf(e *tagset.Entry) string { return p.target.Owners().Of(e).Manager }

// HadTag reports whether the field had a tag with the key of the record's label before the decision, with any value. In a list of strings,
// the string of the label counts, too: a=b=c counts for the label a: b=c, even if it is read as the tag a=b: c.
func (p *Plan) HadTag(r *tags.Judged) bool {
	i, ok := p.labels.positionByID[p.labels.ID(r.Key)]
	if !ok || r.Tag != p.labels.all[i].Tag { // The field can't hold the label.
		return false
	}

	e := &p.labels.entries[i]

	return p.before.Tags.Counterpart(e) != nil || p.before.OtherManagersTags != nil && p.before.OtherManagersTags.Counterpart(e) != nil
}

// Fault returns the part of the skipped label's tag that breaks the limit, such as "72 characters", or nothing: see tagset.FieldKind.Fault.
func (p *Plan) Fault(r *tags.Judged) string {
	return p.labels.Fault(r.Reason, r.QualifiedKey, r.Key, r.Value)
}

// RemovedBy returns the first entry of removeTags that names the tag, or nil. IgnoredBy does the same for ignoreTags. On Google Cloud, an
// entry can name the tag team_a by this key, or by the qualified key of its label, team/a. Neither is about labels that are handed on.
func (p *Plan) RemovedBy(t *tags.Tag) *resolve.TagPattern {
	return p.labels.firstNaming(p.labels.removeMatchers, t)
}

// IgnoredBy returns the first entry of ignoreTags that names the tag, or nil: see RemovedBy.
func (p *Plan) IgnoredBy(t *tags.Tag) *resolve.TagPattern {
	return p.labels.firstNaming(p.labels.ignoreMatchers, t)
}
