package tags_test

import (
	"testing"

	"github.com/plexsphere/function-cloud-tags/tags"
)

func TestForges(t *testing.T) {
	cases := map[string]struct {
		reason    string
		provider  string
		separator string
		label     tags.Label
		want      bool
	}{
		"ValueEndsKey": {
			reason:   "The value goes on with what makes the entry look like that of a reserved key.",
			provider: "digitalocean", separator: ":",
			label: tags.Label{QualifiedKey: "entigo", TagKey: "entigo", Value: "zone:zone-2", Unprefixed: true},
			want:  true,
		},
		"ValueEndsKeyInOtherCase": {
			reason:   "The provider doesn't tell entries apart by case.",
			provider: "digitalocean", separator: ":",
			label: tags.Label{QualifiedKey: "Entigo", TagKey: "Entigo", Value: "Zone:zone-2", Unprefixed: true},
			want:  true,
		},
		"KeyBeginsWithKey": {
			reason:   "Whoever cuts the entry at the first separator reads a reserved key.",
			provider: "openstack", separator: "=",
			label: tags.Label{QualifiedKey: "zone=a", TagKey: "zone=a", Value: "b", Unprefixed: true},
			want:  true,
		},
		"Prefixed": {
			reason:   "The key prefix is part of the key that a reserved one comes to.",
			provider: "openstack", separator: "=",
			label: tags.Label{QualifiedKey: "zone=a", TagKey: "plexsphere:zone=a", Value: "b"},
			want:  true,
		},
		"ProvidersKey": {
			reason:   "Nobody may claim what providers set, trusted or not.",
			provider: "openstack", separator: "=",
			label: tags.Label{QualifiedKey: "crossplane-name=x", TagKey: "crossplane-name=x", Value: "y", Unprefixed: true, Trusted: true},
			want:  true,
		},
		"Trusted": {
			reason:   "A trusted label may have any key that isn't the providers'.",
			provider: "openstack", separator: "=",
			label: tags.Label{QualifiedKey: "zone", TagKey: "zone", Value: "a=b", Unprefixed: true, Trusted: true},
		},
		"OtherKey": {
			reason:   "A key that isn't reserved may go on with anything else.",
			provider: "openstack", separator: "=",
			label: tags.Label{QualifiedKey: "region", TagKey: "region", Value: "zone=a", Unprefixed: true},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tr := tags.NewTransformer([]tags.Label{tc.label}, nil)
			tr.Reserve([]string{"zone", "entigo:zone"}, "plexsphere:", nil)

			d := tr.Transform(tags.ProfileOf(tc.provider))
			if len(d.Tags) != 1 {
				t.Fatalf("\n%s\nTransform(...): want one tag, got %v", tc.reason, d)
			}

			if got := d.Forges(d.Tags[0], tc.separator); got != tc.want {
				t.Errorf("\n%s\nForges(...): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}
