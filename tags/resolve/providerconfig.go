package resolve

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/require"
)

// A configSource is a source of type ProviderConfig, with the labels of the configs that it has read.
type configSource struct {
	*v1beta1.Source

	labelSource *tags.Source // The Source of each label.
	filter      *keyFilter

	// contents of each config that was read so far.
	contents map[configKey]*configContent

	// usedLabels are the labels of all configs that LabelSetOf has used, and usedCount is the number of these configs.
	usedLabels []tags.Label
	usedCount  int

	// unlistedName is the name of the first config that a resource uses, but that Names doesn't list: dev, if Names is [prod]. It is
	// for a message.
	unlistedName string
}

// A configContent has what a source reads in a provider config.
type configContent struct {
	// labels that the source includes. leftOut is the number of those that its objectLimit left out, and nulls names those whose JSON is null.
	labels  []tags.Label
	leftOut int
	nulls   []SourceNote

	// err is a *absence in these cases:
	//   - There is no config.
	//   - The config has no field such as spec.tags, or no key with the prefix.
	//   - include leaves out all labels.
	err error

	// isUsed reports whether LabelSetOf has used the config, with or without labels. ConfigLabels may read a config before LabelSetOf does.
	isUsed bool
}

// A Config names the provider config of a resource, such as ClusterProviderConfig default. Resources without a provider config have the
// zero Config. Config repeats the fields of field.ConfigRef: package field belongs to a later stage, so it isn't imported here.
type Config struct {
	schema.GroupVersionKind

	Name string

	// Namespaced reports whether the config is in the namespace of the resource.
	Namespaced bool
}

// A configKey identifies a provider config, together with its namespace.
type configKey struct {
	Config

	namespace string
}

// isZero reports whether there is no provider config.
func (k configKey) isZero() bool { return k == configKey{} }

// NamespaceOf returns the namespace of a desired resource. Crossplane gives it the namespace of the composite resource. If the composite
// resource has none, the desired resource names its own.
func (p *PerResource) NamespaceOf(desired object.Object) string {
	return cmp.Or(object.Namespace(p.xr.Object), object.Namespace(desired))
}

// listedConfigOf returns the provider config of a composed resource. It is zero if the resource has no config, or if the source has
// names: [prod, shared] and the config has another name.
func (p *PerResource) listedConfigOf(source *configSource, c *ComposedResource) configKey {
	if len(source.Names) > 0 && !slices.Contains(source.Names, c.Config.Name) {
		return configKey{}
	}

	return p.configOf(c)
}

// configOf returns the provider config of a composed resource. It is zero if the resource has none.
func (p *PerResource) configOf(c *ComposedResource) configKey {
	out := configKey{Config: c.Config}
	if c.Config.Namespaced {
		out.namespace = p.NamespaceOf(c.Desired)
	}

	return out
}

// selector returns the selector with which Crossplane fetches the config.
func (k configKey) selector() *fnv1.ResourceSelector {
	return require.Named(k.GroupVersion().String(), k.Kind, k.namespace, k.Name)
}

// String returns the config's name for messages, such as "ProviderConfig team-a/default (aws.m.upbound.io/v1beta1)".
func (k configKey) String() string {
	return fmt.Sprintf("%s %s (%s)", k.Kind, strings.TrimPrefix(k.namespace+"/"+k.Name, "/"), k.GroupVersion())
}

// eachConfigSource yields each source that reads the provider config of a composed resource, with this config. It yields none if p is nil.
func (p *PerResource) eachConfigSource(c *ComposedResource) iter.Seq2[*configSource, configKey] {
	return func(yield func(*configSource, configKey) bool) {
		for _, scoped := range p.all() {
			source := scoped.configSource
			if source == nil || source.Resources != nil && !c.Selects(source.Resources) {
				continue
			}

			if config := p.listedConfigOf(source, c); !config.isZero() && !yield(source, config) {
				return
			}
		}
	}
}

// RequireConfig asks Crossplane for the provider config of a composed resource, if a source reads it. Each response must ask again, or
// the next request lacks the config.
func (p *PerResource) RequireConfig(c *ComposedResource) {
	for _, config := range p.eachConfigSource(c) {
		p.required.Resources(config.selector())
	}
}

// ConfigLabels returns all labels that sources read in the provider config of a composed resource, such as team: a, even if later sources
// win over them. It returns none if p is nil, or if the labels can't be read.
func (p *PerResource) ConfigLabels(c *ComposedResource) (out []tags.Label) {
	for source, config := range p.eachConfigSource(c) {
		out = append(out, p.contentOf(source, config).labels...)
	}

	return out
}

// contentOf returns the labels that a source reads in a provider config. For each source, it reads each config once.
func (p *PerResource) contentOf(source *configSource, config configKey) *configContent {
	content, ok := source.contents[config]
	if !ok {
		content = new(p.readConfig(source, config))
		source.contents[config] = content
	}

	return content
}

// labelsOfConfig returns the labels of the provider config of a composed resource, such as team: a of the ProviderConfig team-a. If
// the config has none, and this is no failure, scoped.whyMissing gets the reason.
func (p *PerResource) labelsOfConfig(scoped *scopedLabel, c *ComposedResource) ([]tags.Label, error) {
	source := scoped.configSource

	config := p.listedConfigOf(source, c)
	if config.isZero() { // If c has no config, c.Config.Name is empty. Otherwise, the source doesn't list it.
		source.unlistedName = cmp.Or(source.unlistedName, c.Config.Name)
		return nil, nil
	}

	content := p.contentOf(source, config)
	if content.isUsed {
		return content.labels, nil // It is counted already: see below.
	}

	note, isTolerated := toleratedAbsence(source.Source, content.err)
	scoped.wasFound = scoped.wasFound || !isTolerated // After a failure, too: EmptySources doesn't name the source.

	if content.err != nil && !isTolerated {
		return nil, content.err
	}

	scoped.whyMissing = cmp.Or(scoped.whyMissing, note)

	content.isUsed = true
	source.usedLabels = append(source.usedLabels, content.labels...)
	source.usedCount++
	p.leftOut += content.leftOut
	p.nulls = append(p.nulls, content.nulls...)

	return content.labels, nil
}

// readConfig reads the labels of a provider config for a source. While Crossplane fetches the config, the result says that there is none.
// Nobody uses this result, since the function then responds only that it needs the config. See testdata/providerconfig.yaml.
func (p *PerResource) readConfig(source *configSource, config configKey) configContent {
	objects, _ := p.required.Resources(config.selector())
	if len(objects) == 0 {
		text := fmt.Sprintf("there is no %s", config)
		return configContent{err: &absence{failure: text, note: text}}
	}

	// The selector has a name, so there is one object.
	found, err := namedObject{Object: objects[0], name: config.String(), pathPrefix: config.String() + " "}.labelsFor(source.Source)
	if err != nil {
		return configContent{err: err}
	}

	var (
		out   []tags.Label
		nulls []SourceNote
	)

	limit := objectLimit{judge: p.judge, size: len(found)}
	labelCount := len(found)

	for l, value := range p.includedLabels(source.Source, source.labelSource, source.filter, found) {
		// Anybody may make a config in a namespace: no label of it is trusted.
		l.Trusted = l.Trusted && !config.Namespaced

		var ok bool
		l.Value, ok, err = value.asText(source.Source)

		switch {
		case err != nil:
			return configContent{err: err}
		case !ok:
			labelCount-- // A value of null is no label.
			nulls = appendNull(nulls, source.labelSource, value)
		case limit.countAndAdmit(l):
			out = append(out, l)
		}
	}

	// If include leaves out all labels, this is an absence, which fails no source. An empty map is no absence: it is empty on purpose.
	if labelCount > 0 && len(out) == 0 {
		return configContent{err: &absence{note: cmp.Or(source.filter.emptyReason, fmt.Sprintf("include matches none of the %d labels of %s", labelCount, config))}}
	}

	return configContent{labels: out, nulls: nulls, leftOut: limit.leftOut()}
}

// whyEmpty returns the reason why the source finds no labels for any resource. The parameter whyFirst is the reason for the first config
// that was read, or empty if none was. If there is nothing to say, whyEmpty returns an empty string.
func (source *configSource) whyEmpty(whyFirst string) string {
	switch {
	case source.usedCount > 1:
		return fmt.Sprintf("none of %d provider configs has labels, e.g.: %s", source.usedCount, whyFirst)
	case source.usedCount == 0 && source.unlistedName != "":
		return fmt.Sprintf("no resource uses a provider config listed in names: the first one that has a config uses %s", source.unlistedName)
	default:
		return whyFirst
	}
}
