package resolve

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/require"
)

// providerConfig sources take labels from the provider config of each composed resource. They are not known before the
// composed resources are known.
var providerConfig = sourceType{
	title: func(*resolver, *v1beta1.Source) string { return "provider configs" },
}

// accounts are the labels of a providerConfig source, by provider config.
type accounts struct {
	*v1beta1.Source

	from     *tags.Source
	included *include

	// labels are the labels of each config so far. passed is the name of the first config that names of the source doesn't
	// have.
	labels map[account][]tags.Label
	passed string
}

// A Config is the provider config of a resource, as field.ConfigRef has it. Resources without one have the zero Config.
type Config struct {
	schema.GroupVersionKind

	Name string

	// Namespaced reports whether the config is in the namespace of the resource.
	Namespaced bool
}

// An account is a provider config and its namespace.
type account struct {
	Config

	namespace string
}

// NamespaceOf returns the namespace of a desired resource. All composed resources of a namespaced composite resource are in its
// namespace. Others have their own.
func (p *PerResource) NamespaceOf(desired object.Object) string {
	return cmp.Or(object.Namespace(p.xr.Object), object.Namespace(desired))
}

// accountOf returns the provider config of a composed resource, or none if names of the source doesn't have it.
func (p *PerResource) accountOf(a *accounts, c *Composed) account {
	if len(a.Names) > 0 && !slices.Contains(a.Names, c.Config.Name) {
		return account{}
	}

	return p.account(c)
}

// account returns the provider config of a composed resource. It is zero if the resource has none.
func (p *PerResource) account(c *Composed) account {
	out := account{Config: c.Config}
	if c.Config.Namespaced {
		out.namespace = p.NamespaceOf(c.Desired)
	}

	return out
}

// selector returns the selector of the config's object.
func (a account) selector() *fnv1.ResourceSelector {
	return require.Named(a.GroupVersion().String(), a.Kind, a.namespace, a.Name)
}

// String returns the name in messages, such as "ProviderConfig team-a/default (aws.m.upbound.io/v1beta1)".
func (a account) String() string {
	return fmt.Sprintf("%s %s (%s)", a.Kind, strings.TrimPrefix(a.namespace+"/"+a.Name, "/"), a.GroupVersion())
}

// Require requires the provider config of a composed resource, if its labels count. It requires the same config on each call of
// a run.
func (p *PerResource) Require(c *Composed) {
	for i := range p.all {
		t := &p.all[i]
		if a := t.accounts; a != nil && (t.scope == 0 || c.Selects(a.Resources)) {
			if config := p.accountOf(a, c); config != (account{}) {
				p.required.Resources(config.selector())
			}
		}
	}
}

// labelsOf returns the labels that t takes from a provider config: team: a for the ProviderConfig team-a. It reads each
// config once.
func (p *PerResource) labelsOf(t *scopedLabel, config account) ([]tags.Label, error) {
	a := t.accounts

	if labels, ok := a.labels[config]; ok || config == (account{}) {
		return labels, nil
	}

	out, err := p.read(a, config)
	if note, ok := optional(a.Source, err); ok {
		t.why, err = cmp.Or(t.why, note), nil
	} else {
		t.had = true
	}

	if err == nil {
		a.labels[config] = out
	}

	return out, err
}

// read returns the labels in a provider config that the source includes. Without any, the error is a *absence. See
// testdata/providerconfig.yaml.
func (p *PerResource) read(a *accounts, config account) ([]tags.Label, error) {
	objects, _ := p.required.Resources(config.selector())
	if len(objects) == 0 {
		none := fmt.Sprintf("there is no %s", config)
		return nil, &absence{failure: none, note: none}
	}

	// The selector has a name, so that it selects at most one object.
	found, err := namedObject{Object: objects[0], name: config.String(), prefix: config.String() + " "}.labels(a.Source)
	if err != nil {
		return nil, err
	}

	var out []tags.Label

	all, places := found[0], bound{reserved: p.reserved}

	for l, f := range p.included(a.Source, a.from, a.included, all) {
		// Anybody may make a config in a namespace.
		l.Trusted = l.Trusted && !config.Namespaced

		var ok bool
		if l.Value, ok, err = f.asText(a.Source); err != nil {
			return nil, err
		}

		if !ok {
			delete(all, f.key) // Null is no label.
			continue
		}

		if places.admits(l) {
			out = append(out, l)
		}
	}

	p.leftOut += places.leftOut

	// An empty map is meant to be empty.
	if len(all) > 0 && len(out) == 0 {
		return nil, &absence{note: cmp.Or(a.included.none, fmt.Sprintf("include matches none of the %d labels of %s", len(all), config))}
	}

	return out, nil
}

// empty returns the reason for a source that finds nothing. why is the reason of the first config, if any was read.
func (a *accounts) empty(why string) string {
	switch {
	case len(a.labels) > 1:
		return fmt.Sprintf("none of %d provider configs has labels, e.g.: %s", len(a.labels), why)
	case len(a.labels) == 0 && a.passed != "":
		return fmt.Sprintf("no resource uses a provider config listed in names: the first one that has a config uses %s", a.passed)
	default:
		return why
	}
}
