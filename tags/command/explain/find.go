package explain

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/command/cluster"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// Categories of Crossplane's kinds.
const (
	categoryComposite = "composite"
	categoryClaim     = "claim"
)

// findComposite finds the composite resource: the object itself, or the composite resource of a claim or of a composed resource.
func (l *live) findComposite(ctx context.Context, kind, name string) error {
	k, o, err := l.named(ctx, kind, name)
	if err != nil {
		return err
	}

	l.asked = o
	ref := o.Node().Field("spec").Field("resourceRef")

	switch {
	case slices.Contains(k.Categories, categoryComposite):
		l.xr = o
		return nil
	case slices.Contains(k.Categories, categoryClaim):
		if ref.Field("name").Text() == "" {
			return errors.Errorf("%s has no composite resource yet%s", title(o), because(o))
		}
	default:
		l.resource = object.Annotations(o).Field(object.ResourceNameAnnotation).Text()
		ref = controllerOf(o)

		if l.resource == "" || !ref.IsThere() {
			return errors.Errorf("%s is no composite resource, no claim, and composed by none: no Composition says which tags it has", title(o))
		}
	}

	l.xr, err = l.referenced(ctx, ref, object.Namespace(o))

	return errors.Wrapf(err, "cannot read the composite resource of %s", title(o))
}

// maxAlike is the greatest number of kinds of one name that are looked at.
const maxAlike = 10

// named returns the object of the kind with the name. Kinds of several groups may have the name of the kind: then the one counts that has
// such an object.
func (l *live) named(ctx context.Context, kind, name string) (cluster.Kind, object.Object, error) {
	var namespace string

	asking := sync.WaitGroup{}
	asking.Go(func() { namespace = l.Namespace(ctx) }) // kubectl takes as long as the API server.

	kinds, err := l.Kinds(ctx)

	asking.Wait()

	if err != nil {
		return cluster.Kind{}, object.Object{}, err
	}

	alike := kinds.Named(kind)
	names := words.Map(alike, func(k cluster.Kind) string { return strings.TrimSuffix(k.Plural+"."+k.Group, ".") })

	switch {
	case len(alike) == 0:
		return cluster.Kind{}, object.Object{}, errors.Errorf("the cluster has no kind %s: kubectl api-resources lists what it has", words.Name(kind))
	case len(alike) > maxAlike:
		return cluster.Kind{}, object.Object{}, errors.Errorf("%s is the name of several kinds: name one of %s", words.Name(kind), words.Names(names))
	}

	var (
		found  []object.Object
		asked  cluster.Kind
		titles []string
		first  error
	)

	for i, k := range alike {
		o, err := l.Object(ctx, k.GroupVersionKind, namespace, name)

		switch {
		case err == nil:
			asked, found, titles = k, append(found, object.FromStruct(o)), append(titles, names[i]+"/"+name)
		case first == nil || cluster.IsMissing(first): // A right that is missing says more.
			first = err
		}
	}

	switch {
	case len(found) == 0:
		return asked, object.Object{}, first
	case len(found) > 1:
		return asked, object.Object{}, errors.Errorf("several kinds have an object %s: name one of %s", words.Name(name), words.Names(titles))
	default:
		return asked, found[0], nil
	}
}

// referenced returns the object that the reference names. A reference without a namespace is to the given one.
func (l *live) referenced(ctx context.Context, ref object.Node, namespace string) (object.Object, error) {
	gvk := schema.FromAPIVersionAndKind(ref.Field("apiVersion").Text(), ref.Field("kind").Text())
	if gvk == object.GVK(l.asked) && ref.Field("name").IsText(object.Name(l.asked)) {
		return l.asked, nil
	}

	o, err := l.Object(ctx, gvk, cmp.Or(ref.Field("namespace").Text(), namespace), ref.Field("name").Text())

	return object.FromStruct(o), err
}

// controllerOf returns the reference to the object's controller.
func controllerOf(o object.Object) object.Node {
	for owner := range o.Node().Field("metadata").Field("ownerReferences").Items() {
		if owner.Field("controller").Value().GetBoolValue() {
			return owner
		}
	}

	return object.Node{}
}

// machinery returns the fields that Crossplane reads of a composite resource: spec.crossplane in v2, and spec in v1.
func machinery(xr object.Object) object.Node {
	spec := xr.Node().Field("spec")
	if v2 := spec.Field("crossplane"); v2.IsObject() {
		return v2
	}

	return spec
}
