package field_test

import (
	"strings"
	"testing"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// TestConfigOf finds the configs of the resources in testdata/configs.yaml.
func TestConfigOf(t *testing.T) {
	var cases []struct{ Name, Reason, Kind, Namespace, RefKind, RefName, Want string }

	tagstest.ReadYAML(t, "testdata/configs.yaml", &cases)

	for _, tc := range cases {
		t.Run(tc.Name, func(t *testing.T) {
			got := ""
			if c, ok := field.ConfigOf(kindOf(tc.Kind).GroupKind(), tc.Namespace, tc.RefKind, tc.RefName); ok {
				got = strings.Join([]string{c.GroupVersion().String(), c.Kind, c.Name}, " ")
				if c.Namespaced {
					got += " in the namespace of the resource"
				}
			}

			if got != tc.Want {
				t.Errorf("\n%s\nConfigOf(...): want %q, got %q", tc.Reason, tc.Want, got)
			}
		})
	}
}

// TestConfigs tests that all providers of Crossplane have configs, and none that the index doesn't
// have though it has their group.
func TestConfigs(t *testing.T) {
	without, groups := make(map[string]bool), make(map[string]bool)

	for gvk := range field.BuiltIn().All() {
		groups[gvk.Group] = groups[gvk.Group] || gvk.Kind == "ProviderConfig"
	}

	for gvk, e := range field.BuiltIn().All() {
		f, _ := field.FamilyOf(gvk.GroupKind())
		if f.Native || f.Profile == "" || field.IsSettings(gvk.Kind) || e[len(e)-1].Field.Shape == field.None {
			continue
		}

		for _, ref := range []struct{ namespace, kind string }{{"", ""}, {"a", ""}, {"", "ProviderConfig"}, {"a", "ClusterProviderConfig"}} {
			c, ok := field.ConfigOf(gvk.GroupKind(), ref.namespace, ref.kind, "")
			if _, known := field.BuiltIn().Known(c.GroupVersionKind); ok && groups[c.Group] && !known {
				t.Errorf("%s in namespace %q, whose reference has kind %q: no release has %s", gvk, ref.namespace, ref.kind, c.GroupVersionKind)
			}

			if !ok && ref.kind == "" {
				without[f.Name+" "+gvk.Group] = true
			}
		}
	}

	for group := range without {
		t.Errorf("no config of %s", group)
	}
}
