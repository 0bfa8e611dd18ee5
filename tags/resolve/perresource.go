package resolve

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/expression"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A PerResource gives each composed resource its own labels. It is nil if no source of the input can give two resources
// different labels.
type PerResource struct {
	*resolver

	// labels of all sources, in the order of the sources. The labels of each source follow one another.
	labels []*scopedLabel

	// scopedSources are the sources that set `resources`, so that only selected resources get their labels.
	scopedSources []*v1beta1.Source

	// leftOut is how many labels of scopedSources and provider configs were left out by an objectLimit.
	leftOut int

	// nulls names the labels of provider configs whose JSON is null.
	nulls []SourceNote

	// surplus is the most labels that any resource's set has lost so far: leftOut, plus the labels beyond maxLabels.
	surplus int
}

// all returns the labels of all sources. There are none if p is nil.
func (p *PerResource) all() []*scopedLabel {
	if p == nil {
		return nil
	}

	return p.labels
}

// A ComposedResource has all parts of a composed resource on which its labels can depend.
type ComposedResource struct {
	// Name of the resource in the Composition, such as bucket.
	Name string

	// Config is the provider config that the resource uses. It is zero if the resource has none.
	Config Config

	// Desired and Observed resource. Observed is zero if the resource doesn't exist yet.
	Desired, Observed object.Object

	// Selects reports whether any of the entries selects the resource.
	Selects func(entries []v1beta1.ResourceSelector) bool
}

// A LabelGroup identifies resources that have the same labels, apart from labels of expressions. Resources of a group have the
// same provider config, and the same sources select them.
type LabelGroup struct {
	// selections has a + for each of the scopedSources that selects the resources, and a - for each other source: for "+-", the
	// first of two sources selects the resources, and the second doesn't.
	selections string

	config configKey
}

// has reports whether resources of the group have the label: its source selects them, or gives labels to all resources.
func (g *LabelGroup) has(scoped *scopedLabel) bool {
	return scoped.scopeNumber == 0 || g.selections[scoped.scopeNumber-1] == '+'
}

// Group returns the group of a composed resource. If shared is true, all resources of the group have the same labels. If shared is
// false, an expression such as desired.spec.region computes a label for each of them.
func (p *PerResource) Group(c *ComposedResource) (group LabelGroup, shared bool) {
	group = p.groupOf(c)
	differs := slices.ContainsFunc(p.labels, func(scoped *scopedLabel) bool { return scoped.expressionSource != nil && group.has(scoped) })

	return group, !differs
}

func (p *PerResource) groupOf(c *ComposedResource) LabelGroup {
	selections := make([]byte, len(p.scopedSources))

	for i, s := range p.scopedSources {
		selections[i] = '-'
		if c.Selects(s.Resources) {
			selections[i] = '+'
		}
	}

	return LabelGroup{selections: string(selections), config: p.configOf(c)}
}

// A scopedLabel is what a source gives to all resources, or to the resources that it selects. It is one of these:
//   - a label with a value
//   - a computed label, whose value an expression computes for each resource: expressionSource is set
//   - all labels that the source reads in provider configs: configSource is set
type scopedLabel struct {
	tags.Label

	// scopeNumber is the number of the source in scopedSources, from 1 on. It is 0 if the source gives labels to all resources.
	scopeNumber int

	// expressionSource is the source of a computed label's expression, and computed has the expression.
	expressionSource *v1beta1.Source
	computed         foundValue

	configSource *configSource

	// wasFound reports whether any resource so far has the label. With a configSource, it reports whether any resource uses a config that has
	// the map of labels, even an empty map.
	wasFound bool

	// whyMissing is the first reason why a resource lacks the label or the labels.
	whyMissing string

	// awaitsObserved reports whether the expression reads `observed`, and some resource isn't observed yet.
	awaitsObserved bool
}

// differs reports whether the label may differ per resource.
func (scoped *scopedLabel) differs() bool {
	return scoped.expressionSource != nil || scoped.configSource != nil || scoped.scopeNumber > 0
}

// addScoped adds the label of the source s. If s sets `resources`, addScoped also adds s to scopedSources, and sets scopeNumber.
func (p *PerResource) addScoped(scoped *scopedLabel, s *v1beta1.Source) {
	if s.Resources != nil {
		if n := len(p.scopedSources); n == 0 || p.scopedSources[n-1] != s { // It is the first label of s.
			p.scopedSources = append(p.scopedSources, s)
		}

		scoped.scopeNumber = len(p.scopedSources)
	}

	p.labels = append(p.labels, scoped)
}

// LabelSetOf returns all labels of a composed resource, such as region: eu-central-1 of the expression desired.spec.forProvider.region. The
// LabelSet has only Labels, Denied, Overridden, ValuelessLabels and LeftOut. An error is a resolve failure. See testdata/resources.yaml and
// expression.yaml.
func (p *PerResource) LabelSetOf(c *ComposedResource) (*LabelSet, error) {
	merged := newMergedLabels(p.judge, len(p.labels))
	group := p.groupOf(c)

	p.evaluator.For(c.Name, c.Desired, c.Observed)

	for _, scoped := range p.labels {
		if !group.has(scoped) {
			continue
		}

		if err := p.mergeScoped(merged, scoped, c); err != nil {
			return nil, errors.Wrapf(err, "cannot resolve %s for composed resource %q", scoped.Source.Name, c.Name)
		}
	}

	if err := merged.leaveOutSurplus(); err != nil {
		return nil, errors.Wrapf(err, "cannot resolve the labels of composed resource %q", c.Name)
	}

	p.surplus = max(p.surplus, merged.set.LeftOut+p.leftOut)

	return &merged.set, nil
}

// mergeScoped merges a scoped label of the composed resource c into merged. The expression desired.spec.region gives a label with its
// value for c, such as region: eu. A configSource gives all labels of the provider config that c uses.
func (p *PerResource) mergeScoped(merged *mergedLabels, scoped *scopedLabel, c *ComposedResource) error {
	switch {
	case scoped.configSource != nil:
		labels, err := p.labelsOfConfig(scoped, c)
		for _, l := range labels {
			merged.mergeLabel(l)
		}

		return err
	case scoped.expressionSource == nil:
		merged.mergeLabel(scoped.Label) // It has a value.
		return nil
	}

	// LabelSetOf has given c to the evaluator, so the text is for c alone.
	text, whyNone, ok, err := p.computeText(scoped.expressionSource, scoped.computed)
	if err != nil {
		return err
	}

	scoped.whyMissing = cmp.Or(scoped.whyMissing, whyNone)
	scoped.awaitsObserved = scoped.awaitsObserved || c.Observed.IsZero() && scoped.computed.expression.Mentions(expression.Observed)

	if !ok {
		merged.set.ValuelessLabels = append(merged.set.ValuelessLabels, ValuelessLabel{Label: scoped.Label, Why: whyNone})
		return nil
	}

	scoped.wasFound = true

	l := scoped.Label
	l.Value = text
	merged.mergeLabel(l)

	return nil
}

// A ValuelessLabel is a label whose expression has no value for a composed resource. Why gives the reason.
type ValuelessLabel struct {
	tags.Label

	Why string
}

// LabelsOfOthers returns the labels of sources whose `resources` leave out the composed resource c, in the order of the sources. A label
// of an expression has no value.
func (p *PerResource) LabelsOfOthers(c *ComposedResource) []tags.Label {
	group := p.groupOf(c)

	return words.MapIf(p.labels, func(scoped *scopedLabel) (tags.Label, bool) {
		return scoped.Label, scoped.configSource == nil && !group.has(scoped)
	})
}

// differingKeys returns the tag keys of labels that may differ per resource, with the last source of each key. For example, it has
// plexsphere:env if a source gives env: test to Buckets only. A label of a provider config is among them once LabelSetOf has read the
// config. There are none if p is nil.
func (p *PerResource) differingKeys() map[string]*tags.Source {
	out := make(map[string]*tags.Source)

	for _, scoped := range p.all() {
		if !scoped.differs() {
			continue
		}

		labels := []tags.Label{scoped.Label}
		if scoped.configSource != nil {
			labels = scoped.configSource.usedLabels
		}

		for _, l := range labels {
			// Denied labels don't count.
			if !p.denies(l) {
				out[l.TagKey] = l.Source // A later source takes the place of an earlier one.
			}
		}
	}

	return out
}

// ObservingExpressions returns the names of expressions that mention `observed`, such as `sources[1]: expressions[id]`.
func (p *PerResource) ObservingExpressions() []string {
	return words.MapIf(p.all(), func(scoped *scopedLabel) (string, bool) {
		return scoped.String(), scoped.expressionSource != nil && scoped.computed.expression.Mentions(expression.Observed)
	})
}

// String returns the name of an expression in messages, such as `sources[1]: expressions[id]`.
func (scoped *scopedLabel) String() string {
	return fmt.Sprintf("%s: %s[%s]", scoped.Source.Name, scoped.computed.path, scoped.computed.key)
}

// EmptySources returns the sources that have found no label for any resource so far, in their order. For example, a source with
// the single expression desired.spec.region is among them if all resources lack spec.region.
func (p *PerResource) EmptySources() []SourceNote {
	bySource := words.Grouped(p.all(), func(scoped *scopedLabel) *tags.Source { return scoped.Source })

	return words.MapIf(bySource, func(labels []*scopedLabel) (SourceNote, bool) {
		source, wasFound, why := labels[0].configSource, false, ""

		for _, scoped := range labels {
			wasFound = wasFound || scoped.wasFound
			why = cmp.Or(why, scoped.whyMissing)
		}

		switch {
		case source != nil:
			why = source.whyEmpty(why)
		case why != "":
			why = noValue + why
		}

		return SourceNote{labels[0].Source.Name, why}, !wasFound && why != ""
	})
}

// valuelessEverywhere returns the expressions that have had no value for any resource so far, in the order of their sources and
// keys. Expressions that wait for resources to be observed are left out.
func (p *PerResource) valuelessEverywhere() []SourceNote {
	return words.MapIf(p.all(), func(scoped *scopedLabel) (SourceNote, bool) {
		isValueless := scoped.expressionSource != nil && !scoped.wasFound && !scoped.awaitsObserved && scoped.whyMissing != ""
		return SourceNote{scoped.Source.Name, scoped.whyMissing}, isValueless
	})
}

// ReadsConfigs reports whether any labels come from provider configs.
func (p *PerResource) ReadsConfigs() bool {
	return slices.ContainsFunc(p.all(), func(scoped *scopedLabel) bool { return scoped.configSource != nil })
}

// A Difference has labels of one source that may differ per composed resource, and the reason.
type Difference struct {
	// Labels are nil for a source of provider configs. Its labels aren't known before resources name their configs.
	Labels []tags.Label

	// Why is the reason for messages, such as "sources[1]: expressions[region] mentions desired".
	Why string
}

// Differences returns the labels that may differ per composed resource, with the reasons, in the order of their sources. There are none
// if p is nil. For the expression of region, the reason is "sources[1]: expressions[region] mentions desired". If a source selects
// resources, its successive labels with values share a Difference: "sources[2]: the resources that it selects get env, team".
func (p *PerResource) Differences() (out []Difference) {
	for i, scoped := range p.all() {
		joinsPrevious := i > 0 && p.labels[i-1].scopeNumber == scoped.scopeNumber && p.labels[i-1].expressionSource == nil

		switch {
		case scoped.configSource != nil:
			out = append(out, Difference{Why: scoped.Source.Name + ": labels come from the provider config that a resource names"})
		case scoped.expressionSource != nil:
			variables := words.Map(scoped.computed.expression.PerResource(), func(v expression.Variable) string { return string(v) })
			out = append(out, Difference{Labels: []tags.Label{scoped.Label}, Why: fmt.Sprintf("%s mentions %s", scoped, strings.Join(variables, " and "))})
		case scoped.scopeNumber == 0: // It is the same on all resources.
		case joinsPrevious:
			last := &out[len(out)-1]
			last.Labels = append(last.Labels, scoped.Label)
			last.Why += ", " + words.Name(scoped.QualifiedKey)
		default:
			out = append(out, Difference{Labels: []tags.Label{scoped.Label}, Why: scoped.Source.Name + ": the resources that it selects get " + words.Name(scoped.QualifiedKey)})
		}
	}

	return out
}
