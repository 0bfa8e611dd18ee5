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

// providerConfig sources take labels from the config that each composed resource is made with.
// They are not known before these are.
var providerConfig = sourceType{
	title: func(*resolver, *v1beta1.Source) string { return "provider configs" },
}

// An accounts is a source of labels in the provider config of each resource.
type accounts struct {
	*v1beta1.Source

	from    *tags.Source
	include *include

	// labels has those of each config that was read. passed is the name of the first config that was
	// not read, because names doesn't have it.
	labels map[account][]tags.Label
	passed string
}

// A Config is the provider config of a resource, as field.ConfigRef has it. Resources without one have the zero Config.
type Config struct {
	schema.GroupVersionKind

	Name string

	// Namespaced is true if the config is in the namespace of the resource.
	Namespaced bool
}

// An account is a provider config and its namespace.
type account struct {
	Config

	namespace string
}

// NamespaceOf returns the namespace of a desired resource: that of the composite resource, whose composed
// resources are all in it, or else its own.
func (p *PerResource) NamespaceOf(desired object.Object) string {
	return cmp.Or(object.Namespace(p.xr.Object), object.Namespace(desired))
}

// accountOf returns the provider config of a composed resource, or none if it is not one that the source
// reads.
func (p *PerResource) accountOf(a *accounts, c *Composed) account {
	if len(a.Names) > 0 && !slices.Contains(a.Names, c.Config.Name) {
		return account{}
	}

	return p.account(c)
}

// account returns the provider config of a composed resource, or none if it has none.
func (p *PerResource) account(c *Composed) account {
	out := account{Config: c.Config}
	if c.Config.Namespaced {
		out.namespace = p.NamespaceOf(c.Desired)
	}

	return out
}

// selector of the account's object.
func (a account) selector() *fnv1.ResourceSelector {
	return require.Named(a.GroupVersion().String(), a.Kind, a.namespace, a.Name)
}

// String is what messages call the account.
func (a account) String() string {
	return fmt.Sprintf("%s %s (%s)", a.Kind, strings.TrimPrefix(a.namespace+"/"+a.Name, "/"), a.GroupVersion())
}

// Require requires the objects that labels of a composed resource are in. It requires the same on each call
// of a run, whatever else is known about the resource.
func (p *PerResource) Require(c *Composed) {
	for i := range p.all {
		t := &p.all[i]
		if a := t.accounts; a != nil && (t.scope == 0 || c.Selects(a.Resources)) {
			if of := p.accountOf(a, c); of != (account{}) {
				p.required.Resources(of.selector())
			}
		}
	}
}

// labelsOf returns the labels that the source t takes from an account.
func (p *PerResource) labelsOf(t *entry, of account) ([]tags.Label, error) {
	a := t.accounts

	if labels, ok := a.labels[of]; ok || of == (account{}) {
		return labels, nil
	}

	out, err := p.read(a, of)
	if note, ok := optional(a.Source, err); ok {
		t.why, err = cmp.Or(t.why, note), nil
	} else {
		t.had = true
	}

	if err == nil {
		a.labels[of] = out
	}

	return out, err
}

// read returns the labels of an account that the source includes. If there are none, the error is a
// *absence.
func (p *PerResource) read(a *accounts, of account) ([]tags.Label, error) {
	objects, _ := p.required.Resources(of.selector())
	if len(objects) == 0 {
		none := fmt.Sprintf("there is no %s", of)
		return nil, &absence{failure: none, note: none}
	}

	// It is one at most, since the account has a name.
	found, err := namedObject{Object: objects[0], name: of.String(), of: of.String() + " "}.labels(a.Source)
	if err != nil {
		return nil, err
	}

	var out []tags.Label

	all, places := found[0], bound{reserved: p.reserved}

	for l, f := range p.included(a.Source, a.from, a.include, all) {
		// Anybody may make one in a namespace.
		l.Trusted = l.Trusted && !of.Namespaced

		var ok bool
		if l.Value, ok, err = f.text(a.Source); err != nil {
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

	p.left += places.left

	// An empty map is meant to be empty.
	if len(all) > 0 && len(out) == 0 {
		return nil, &absence{note: cmp.Or(a.include.none, fmt.Sprintf("include matches none of the %d labels of %s", len(all), of))}
	}

	return out, nil
}

// empty says why the source finds nothing. why is the reason for the first config, if there is one.
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
