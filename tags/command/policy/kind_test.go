package policy

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
)

// TestBuiltIn proves that kinds.txt has the kinds of Kubernetes, and that pluralOf returns their plurals.
func TestBuiltIn(t *testing.T) {
	want := []string{}

	for gvk, typ := range scheme.Scheme.AllKnownTypes() {
		// Lists and options have no labels.
		if _, ok := reflect.New(typ).Interface().(metav1.Object); !ok {
			continue
		}

		want = add(want, gvk.Group+"/"+gvk.Kind)

		plural, _ := meta.UnsafeGuessKindToResource(gvk)
		if diff := cmp.Diff(plural.Resource, pluralOf(gvk.Kind)); diff != "" {
			t.Errorf("\nThe plural should be the one that Kubernetes has.\npluralOf(%q): -want, +got:\n%s", gvk.Kind, diff)
		}
	}

	slices.Sort(want)

	comment, got, _ := strings.Cut(builtIn, "\n")
	if diff := cmp.Diff(want, strings.Fields(got)); diff != "" || comment[0] != '#' {
		t.Errorf("\nkinds.txt should have all kinds of Kubernetes, by group, below a comment: -want, +got:\n%s", diff)
	}
}
