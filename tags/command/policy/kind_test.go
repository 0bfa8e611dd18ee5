package policy

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
)

// TestBuiltInKinds proves that the kinds that are known are those that Kubernetes has, and
// that their plurals are, too.
func TestBuiltInKinds(t *testing.T) {
	var want []string

	for gvk, typ := range scheme.Scheme.AllKnownTypes() {
		// Lists and options have no labels.
		if _, ok := reflect.New(typ).Interface().(metav1.Object); !ok {
			continue
		}

		if k := gvk.GroupKind().String(); !slices.Contains(want, k) {
			want = append(want, k)
		}

		plural, _ := meta.UnsafeGuessKindToResource(gvk)
		if diff := gocmp.Diff(plural.Resource, pluralOf(gvk.Kind)); diff != "" {
			t.Errorf("\nThe plural should be the one that Kubernetes has.\npluralOf(%q): -want, +got:\n%s", gvk.Kind, diff)
		}
	}

	slices.SortFunc(want, func(a, b string) int {
		j, k := schema.ParseGroupKind(a), schema.ParseGroupKind(b)
		return cmp.Or(strings.Compare(j.Group, k.Group), strings.Compare(j.Kind, k.Kind))
	})

	if diff := gocmp.Diff(want, builtInKinds); diff != "" {
		t.Errorf("\nkinds.txt should have all kinds of Kubernetes, by group.\nbuiltInKinds: -want, +got:\n%s", diff)
	}
}
