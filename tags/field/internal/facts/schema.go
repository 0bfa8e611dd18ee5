package facts

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/field"
)

const (
	forProvider = "spec.forProvider."
	atProvider  = "status.atProvider."
)

// none are the Facts of a kind without any field that looks like tags.
const none = "-"

// looksLikeTags are the names of the fields that the survey is of, and of those that
// report them.
var looksLikeTags = []string{
	"identityPoolTags", "labels", "metadata", "resourceLabels", "resourceTags", "tag", "tagSet", "tagSpecifications", "tagging", "tags",
	"userLabels", "userPoolTags", "volumeTags",

	"allMetadata", "allTags", "effectiveLabels", "tagsAll", "terraformLabels",
}

// Facts are the fields of a kind that look like tags and their types, sorted: those
// below spec.forProvider, and behind a < those below status.atProvider, e.g.
//
//	tags=map <tags=map <tagsAll=map
//	tag=list!(key:string*,propagateAtLaunch:boolean*,value:string*)
//	settings[0].userLabels=map
//	tags=strings(255)
//
// A ! is behind the type of an atomic field, and a * behind that of a required one.
// An entry of an object in a list, which can be a list of one, is [0].
type Facts string

// Of returns the facts of the kind of the supplied schema.
func Of(s *structpb.Struct) Facts {
	o := field.NewOpenAPI(s)
	properties := func(s *structpb.Struct) *structpb.Struct { return s.GetFields()["properties"].GetStructValue() }
	child := func(s *structpb.Struct, name string) *structpb.Struct {
		return properties(s).GetFields()[name].GetStructValue()
	}

	var out []string

	look := func(mark, prefix, path, name string) {
		if !slices.Contains(looksLikeTags, name) {
			return
		}

		if t := o.TypeOf(prefix + path); t.Shape != "" {
			out = append(out, mark+path+"="+formatType(t))
		}
	}

	for mark, of := range map[string][2]string{"": {"spec", "forProvider"}, "<": {"status", "atProvider"}} {
		top := child(child(s, of[0]), of[1])
		prefix := of[0] + "." + of[1] + "."

		for name := range properties(top).GetFields() {
			look(mark, prefix, name, name)

			in := child(top, name)
			if items := in.GetFields()["items"].GetStructValue(); items != nil {
				in, name = items, name+"[0]"
			}

			for nested := range properties(in).GetFields() {
				look(mark, prefix, name+"."+nested, nested)
			}
		}
	}

	if len(out) == 0 {
		return none
	}

	slices.SortFunc(out, func(a, b string) int {
		// Those that report come last.
		if x, y := a[0] == '<', b[0] == '<'; x != y {
			if x {
				return 1
			}

			return -1
		}

		return strings.Compare(a, b)
	})

	return Facts(strings.Join(out, " "))
}

// A Schema is what facts say of a kind. It is a field.Schema.
type Schema map[string]field.Type

// TypeOf returns the type of the field at the supplied path.
func (s Schema) TypeOf(path string) field.Type { return s[path] }

// Schema of the facts.
func (f Facts) Schema() (Schema, error) {
	s := make(Schema)

	if f == none {
		return s, nil
	}

	for fact := range strings.SplitSeq(string(f), " ") {
		path, typ, ok := strings.Cut(fact, "=")

		t, err := parseType(typ)
		if !ok || err != nil {
			return nil, errors.Errorf("%q is no fact", fact)
		}

		if path, ok := strings.CutPrefix(path, "<"); ok {
			s[atProvider+path] = t
		} else {
			s[forProvider+path] = t
		}
	}

	return s, nil
}

// shapes of the survey.
var shapes = map[field.Shape]string{field.Map: "map", field.StringList: "strings", field.KeyValueList: "list"}

func formatType(t field.Type) string {
	s := shapes[t.Shape]
	if t.Atomic {
		s += "!"
	}

	var args []string

	if t.MaxLength > 0 {
		args = append(args, strconv.Itoa(t.MaxLength))
	}

	for _, name := range slices.Sorted(maps.Keys(t.Fields)) {
		arg := name + ":" + t.Fields[name]
		if slices.Contains(t.Required, name) {
			arg += "*"
		}

		args = append(args, arg)
	}

	if len(args) > 0 {
		s += "(" + strings.Join(args, ",") + ")"
	}

	return s
}

func parseType(s string) (field.Type, error) {
	name, args, hasArgs := strings.Cut(strings.TrimSuffix(s, ")"), "(")

	name, atomic := strings.CutSuffix(name, "!")
	t := field.Type{Atomic: atomic}

	for shape, n := range shapes {
		if n == name {
			t.Shape = shape
		}
	}

	switch t.Shape {
	case field.Map:
		return t, nil
	case field.StringList:
		if !hasArgs {
			return t, nil
		}

		var err error

		t.MaxLength, err = strconv.Atoi(args)

		return t, err
	case field.KeyValueList:
		t.Fields = make(map[string]string)

		for arg := range strings.SplitSeq(args, ",") {
			if name, typ, ok := strings.Cut(arg, ":"); ok {
				typ, required := strings.CutSuffix(typ, "*")
				t.Fields[name] = typ

				if required {
					t.Required = append(t.Required, name)
				}
			}
		}

		return t, nil
	case field.None:
	}

	return t, errors.Errorf("%q is no type", s)
}
