package stamp

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/target"
)

// TestIgnoredIsAsItIs proves that whoever annotates a resource changes no tag of this function,
// whoever has written to it before.
func TestIgnoredIsAsItIs(t *testing.T) {
	for kind := range applySchemas {
		t.Run(kind, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				a := drawApplied(t, kind)
				before := a.tags(t)

				s := &Stamper{
					Finder: target.Finder{
						Input:    &v1beta1.CloudTags{},
						Provider: "aws",
						Fields:   everywhere(a.shape.field),
						Owner:    ours,
						Observed: map[string]*fnv1.Resource{"r": {Resource: a.object(t)}},
					},
					Transformer: reserving(nil, label("a", "1")),
				}

				// What an earlier step desires is not this function's.
				desired := rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "c"}), rapid.SampledFrom([]string{"1", "2"}), 0, 3).Draw(t, "desired")
				_, stamped, err := stampOnce(t, s, annotated("true", a.spec(desired)))
				if err != nil {
					t.Fatal(err)
				}

				after := make(map[string]string)
				for kv := tagsOf(stamped, a.shape); len(kv) > 0; kv = kv[2:] {
					after[kv[0]] = kv[1]
				}

				a.apply(t, ours, after)

				if want, got := onlyOurs(before), onlyOurs(a.tags(t)); fmt.Sprint(want) != fmt.Sprint(got) {
					t.Fatalf("a resource with the tags %q of this function has %q once it is ignored, and %v is desired", want, got, after)
				}
			})
		})
	}
}

// onlyOurs are the tags with the prefix of labels' keys.
func onlyOurs(of []string) []string {
	var out []string

	for _, tag := range of {
		if len(tag) > 5 && tag[:5] == "ours:" {
			out = append(out, tag)
		}
	}

	return out
}
