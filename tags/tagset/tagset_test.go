package tagset

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
	"pgregory.net/rapid"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// fields of each shape.
var fields = map[string]field.Field{
	"Map":          {Layout: field.Layout{Shape: field.Map}, Path: object.MustParsePath("spec.tags")},
	"MapOfLists":   {Layout: field.Layout{Shape: field.MapOfLists}, Path: object.MustParsePath("spec.tags")},
	"KeyValueList": {Layout: field.Layout{Shape: field.KeyValueList}, Path: object.MustParsePath("spec.tags"), Key: "k", Value: "v"},
	"StringList":   {Layout: field.Layout{Shape: field.StringList, Separator: "="}, Path: object.MustParsePath("spec.tags")},
	"Joined":       {Layout: field.Layout{Shape: field.Joined, Separator: ":", Delimiter: ";"}, Path: object.MustParsePath("spec.tags"), Atomic: true},
	"Labels":       {Layout: field.Layout{Shape: field.Labels}, Path: object.MustParsePath("spec.labels")},
}

// A tag is one of a plain list.
type tag struct{ key, value string }

// plain is a set as a plain list: what was there, and after it what was added.
type plain struct {
	there, added []tag

	// fold keys that are one, and the strings of a list. A map spells keys as it has them.
	fold, foldString func(string) string
	spells           bool
}

func (p *plain) all() []tag { return slices.Concat(p.there, p.added) }

func (p *plain) is(key string) func(t tag) bool {
	return func(t tag) bool { return p.fold(t.key) == p.fold(key) }
}

// put a tag where the first with its key is, instead of all of these, or after all others.
// A string that another key has already is not put.
func (p *plain) put(t tag) {
	same := slices.DeleteFunc(p.all(), func(o tag) bool { return !p.is(t.key)(o) })
	if len(same) == 1 && same[0].value == t.value {
		return
	}

	if len(same) > 0 && p.spells {
		t.key = same[0].key
	}

	p.place(t)
}

func (p *plain) place(t tag) {
	at, in := slices.IndexFunc(p.there, p.is(t.key)), &p.there
	if at < 0 {
		at, in = slices.IndexFunc(p.added, p.is(t.key)), &p.added
	}

	others := slices.DeleteFunc(p.all(), p.is(t.key))
	twice := p.foldString != nil && slices.ContainsFunc(others, func(o tag) bool { return p.foldString(o.key+"="+o.value) == p.foldString(t.key+"="+t.value) })

	keep := func(list []tag, at int) []tag {
		var out []tag

		for i, o := range list {
			switch {
			case i == at && !twice:
				out = append(out, t)
			case !p.is(t.key)(o):
				out = append(out, o)
			}
		}

		return out
	}

	switch {
	case at >= 0 && in == &p.there:
		p.there, p.added = keep(p.there, at), keep(p.added, -1)
	case at >= 0:
		p.added = keep(p.added, at)
	case !twice:
		p.added = append(p.added, t)
	}
}

func (p *plain) remove(key string) {
	p.there, p.added = slices.DeleteFunc(p.there, p.is(key)), slices.DeleteFunc(p.added, p.is(key))
}

// TestSet tests that a set equals a plain list of tags, in every shape.
func TestSet(t *testing.T) {
	for name, f := range fields {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				provider := profile.Of(rapid.SampledFrom([]string{"aws", "azure", "digitalocean"}).Draw(t, "provider"))
				keys := NewKeys(FieldKindOf(&f, provider), nil)
				texts := rapid.SampledFrom([]string{"a", "A", "b", "a=b", "c"})
				keys.Known = provider.KeySet("a", "A", "b", "a=b", "c")

				p := plain{fold: keys.ID, spells: !keys.Form().IsList}
				if f.Shape == field.StringList {
					p.foldString = func(s string) string {
						return (&Set{keys: &keys}).comparedString(&Entry{text: s, separator: "="})
					}
				}

				s := must(Read(object.Node{}, &f, &keys))
				puts := rapid.IntRange(0, 12).Draw(t, "puts")

				for range puts {
					drawn := tag{key: texts.Draw(t, "key"), value: texts.Draw(t, "value")}

					switch e := keys.Entry(&tags.Tag{Key: drawn.key, Value: drawn.value}); rapid.IntRange(0, 5).Draw(t, "what") {
					case 0:
						s = must(Read(s.Value(), &f, &keys))
						p.there, p.added = tagsOf(s), nil
					case 1:
						for each := range s.Tags() {
							for i := range each {
								if each[i].ID == e.ID {
									s.Remove(&each[i])
								}
							}
						}

						p.remove(drawn.key)
					default:
						s.Put(&e)
						p.put(drawn)
					}

					if s.Len() != len(p.all()) {
						t.Fatalf("want %d tags, got %d", len(p.all()), s.Len())
					}

					slices.SortStableFunc(p.added, func(a, b tag) int { return strings.Compare(a.key, b.key) })

					if diff := cmp.Diff(p.all(), tagsOf(s), cmp.AllowUnexported(tag{})); diff != "" && len(p.all()) > 0 {
						t.Fatalf("-want, +got:\n%s", diff)
					}

					if e := s.Find(keys.ID(drawn.key)); (e != nil) != slices.ContainsFunc(p.all(), p.is(drawn.key)) {
						t.Fatalf("Find(%q): got %v of %v", drawn.key, e, p.all())
					}
				}
			})
		})
	}
}

// TestManyOfOneKey tests lists with many tags of one key: the time grows with their number, and not with its square.
func TestManyOfOneKey(t *testing.T) {
	const many = 50_000

	value := map[string]func(texts []string) *structpb.Value{
		"KeyValueList": func(texts []string) *structpb.Value {
			out := &structpb.ListValue{}
			for _, text := range texts {
				out.Values = append(out.Values, structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{"k": structpb.NewStringValue("a"), "v": structpb.NewStringValue(text)}}))
			}

			return structpb.NewListValue(out)
		},
		"StringList": func(texts []string) *structpb.Value {
			out := &structpb.ListValue{}
			for _, text := range texts {
				out.Values = append(out.Values, structpb.NewStringValue("a="+text))
			}

			return structpb.NewListValue(out)
		},
		"Joined": func(texts []string) *structpb.Value {
			return structpb.NewStringValue("a:" + strings.Join(texts, ";a:"))
		},
	}

	for name, value := range value {
		t.Run(name, func(t *testing.T) {
			f := fields[name]
			keys := NewKeys(FieldKindOf(&f, profile.Of("aws")), nil)
			keys.Known = keys.Profile.KeySet("a")

			many := many
			if f.Form().IsJoined {
				many = MaxJoined / len("a=before0000,") // A longer string isn't cut into its entries.
			}

			read := func(prefix string) (*Set, []tag) {
				texts, want := make([]string, many), make([]tag, many)
				for i := range texts {
					texts[i] = fmt.Sprintf("%s%d", prefix, i)
					want[i] = tag{"a", texts[i]}
				}

				return must(Read(object.NodeOf(value(texts)), &f, &keys)), want
			}

			before, had := read("before")
			now, has := read("now")
			started := time.Now()

			for updated := range before.Updated(now) {
				if len(updated) != many {
					t.Errorf("\nAll values should differ.\nUpdated(...): got %d", len(updated))
				}
			}

			for e := range before.All() {
				now.Append(*e)
			}

			if diff := cmp.Diff(slices.Concat(has, had), tagsOf(now), cmp.AllowUnexported(tag{})); diff != "" {
				t.Errorf("\nWhat joins should come behind what is there.\nJoin(...): -want, +got:\n%.2000s", diff)
			}

			if took := time.Since(started); took > 10*time.Second {
				t.Errorf("\nMany tags of one key should take a second at most, not %s.", took)
			}
		})
	}
}

// TestReadJoinedKeys tests that a joined string of keys alone, which some readers take for tags, takes little memory for each.
func TestReadJoinedKeys(t *testing.T) {
	const keyCount = 1000

	f := fields["Joined"]
	keys := NewKeys(FieldKindOf(&f, profile.Of("aws")), nil)
	text := object.TextNode(strings.Repeat("a"+f.Delimiter, keyCount))

	got := testing.AllocsPerRun(10, func() { must(Read(text, &f, &keys)) })
	if got > 2*keyCount {
		t.Errorf("Read(...): want at most 2 allocations for each of %d keys, got %g in all", keyCount, got)
	}
}

// tagsOf returns the tags of s.
func tagsOf(s *Set) []tag {
	var out []tag
	for e := range s.All() {
		out = append(out, tag{key: e.Key, value: e.Value.Text()})
	}

	return out
}

func must(s *Set, err error) *Set {
	if err != nil {
		panic(err)
	}

	return s
}

// TestMapOfLists tests maps of lists that others write, too.
func TestMapOfLists(t *testing.T) {
	f := fields["MapOfLists"]
	keys := NewKeys(FieldKindOf(&f, profile.Of("aws")), nil)

	for in, want := range map[string]string{
		``:                          `{"env":["prod"]}`,
		`{"a":["b"],"env":["dev"]}`: `{"a":["b"],"env":["prod"]}`,
		`{"a":["b","c"],"d":[]}`:    `{"a":["b","c"],"d":[],"env":["prod"]}`,
		`{"env":["dev","prod"]}`:    `{"env":["prod"]}`,
		`{"env":["prod"],"a":"b"}`:  `{"a":"b","env":["prod"]}`,
		`{"env":[]}`:                `{"env":["prod"]}`,
		`{"env":null}`:              `{"env":["prod"]}`,
	} {
		v := &structpb.Value{}
		if in == "" {
			v = nil
		} else if err := v.UnmarshalJSON([]byte(in)); err != nil {
			t.Fatal(err)
		}

		s := must(Read(object.NodeOf(v), &f, &keys))
		e := keys.Entry(&tags.Tag{Key: "env", Value: "prod"})
		s.Put(&e)

		if diff := cmp.Diff(want, strings.ReplaceAll(protojson(t, s.Value().Value()), " ", "")); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", in, diff)
		}
	}
}

func protojson(t *testing.T, v *structpb.Value) string {
	t.Helper()

	b, err := v.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}

	return string(b)
}
