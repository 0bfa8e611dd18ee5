package awspolicy

import (
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// assign is the operator of policies that gives a value. Effective policies have the value without it.
const assign = "@@assign"

// A keyPolicy is the part of a policy on one tag key.
type keyPolicy struct {
	// name is the name of the object below tags, such as costcenter. key is the key of the tag, such as CostCenter: AWS ignores the
	// case of names, but not of keys.
	name, key string

	// values are the admitted values. If the list is nil, all values are admitted. If it is empty, none is.
	values []string

	// enforced and required are the resource types of enforced_for and report_required_tag_for.
	enforced, required []string
}

// fields returns the fields of an object, or none of another value.
func fields(v *structpb.Value) map[string]*structpb.Value { return v.GetStructValue().GetFields() }

// read reads the keyPolicies of the policy, sorted by name. It notes fields that no effective policy has.
func (i *importer) read(r *manifest.Reader, file string) error {
	policy, err := valueOf(r, file)
	if err != nil {
		return err
	}

	// The AWS CLI prints the policy as a text in an object, of describe-effective-policy or describe-policy.
	for _, path := range [][2]string{{"EffectivePolicy", "PolicyContent"}, {"Policy", "Content"}} {
		if text := fields(fields(policy)[path[0]])[path[1]].GetStringValue(); text != "" {
			if policy, err = valueOf(&manifest.Reader{Stdin: strings.NewReader(text)}, manifest.Stdin); err != nil {
				return errors.Wrapf(err, "%s.%s", path[0], path[1])
			}
		}
	}

	tags, ok := fields(policy)["tags"].GetKind().(*structpb.Value_StructValue)
	if !ok {
		return errors.New("it is no tag policy: these have an object tags. Import the policy itself as JSON, or what aws organizations describe-effective-policy prints")
	}

	i.noteOthers("", policy, "tags")

	names := make(map[string]string) // By the name in the case that AWS compares.

	for _, name := range slices.Sorted(maps.Keys(tags.StructValue.GetFields())) {
		if strings.HasPrefix(name, "@@") {
			i.noteOther("tags.", name)
			continue
		}

		key := profile.FoldKey(name)
		if other, ok := names[key]; ok {
			return errors.Errorf("tags.%s and tags.%s: they are of one tag, since AWS ignores the case of these names: keep one", words.Name(other), words.Name(name))
		}

		names[key] = name

		if err := i.readKey(name, tags.StructValue.GetFields()[name]); err != nil {
			return err
		}
	}

	return nil
}

// valueOf returns the only value of the file.
func valueOf(r *manifest.Reader, file string) (*structpb.Value, error) {
	values, err := r.Values(file)

	switch {
	case err != nil:
		return nil, err
	case len(values) != 1:
		return nil, errors.Errorf("it has %d values: give a file with one tag policy", len(values))
	default:
		return values[0], nil
	}
}

// readKey reads the keyPolicy of the name. It adds a note instead if operators such as @@append change inherited values: only the effective
// policy has the result.
func (i *importer) readKey(name string, v *structpb.Value) error {
	path := "tags." + words.Name(name)
	e, isKnown := keyPolicy{name: name, key: strings.ToLower(name)}, true

	if v.GetStructValue() == nil {
		return errors.Errorf("%s: want an object, such as {\"tag_value\": [\"a\"]}", path)
	}

	var key []string

	to := map[string]*[]string{"tag_key": &key, "tag_value": &e.values, "enforced_for": &e.enforced, "report_required_tag_for": &e.required}

	for _, field := range slices.Sorted(maps.Keys(to)) {
		texts, known, err := i.strings(path+"."+field, fields(v)[field])
		if err != nil {
			return err
		}

		*to[field], isKnown = texts, isKnown && known
	}

	i.noteOthers(path+".", v, slices.Collect(maps.Keys(to))...)

	if len(key) > 0 {
		e.key = key[0]
	}

	switch {
	case len(key) > 1 || !strings.EqualFold(e.key, name):
		return errors.Errorf("%s.tag_key: want the name of the entry, ignoring case, got %q", path, key)
	case slices.ContainsFunc(e.values, func(v string) bool { return strings.Count(v, "*") > 1 }):
		return errors.Errorf("%s.tag_value: a value has more than one *, which AWS refuses: leave one", path)
	case isKnown:
		i.policies = append(i.policies, e)
	default:
		i.notef("%s: nobody knows what it comes to: import the effective policy", path)
	}

	return nil
}

// strings returns the strings of a field, or below @@assign in it. It returns false if the field has operators on inherited values.
func (i *importer) strings(path string, v *structpb.Value) (out []string, known bool, err error) {
	known = true

	if o := fields(v); o != nil {
		v = o[assign]

		for _, operator := range slices.Sorted(maps.Keys(o)) {
			switch operator {
			case assign:
			case "@@append", "@@remove":
				known = false

				i.notef("%s: %s changes what is inherited, and effective policies don't inherit", path, operator)
			default:
				i.noteOther(path+".", operator)
			}
		}
	}

	switch kind := v.GetKind().(type) {
	case nil:
		return nil, known, nil
	case *structpb.Value_StringValue:
		return []string{kind.StringValue}, known, nil
	case *structpb.Value_ListValue:
		out = []string{}

		for _, item := range kind.ListValue.GetValues() {
			if _, ok := item.GetKind().(*structpb.Value_StringValue); !ok {
				return nil, false, errors.Errorf("%s: want a list of strings, each in quotes", path)
			}

			out = append(out, item.GetStringValue())
		}

		return out, known, nil
	default:
		return nil, false, errors.Errorf("%s: want a string, or a list of strings", path)
	}
}

// noteOthers notes the fields of the object that have none of the known names.
func (i *importer) noteOthers(path string, v *structpb.Value, known ...string) {
	for _, name := range slices.Sorted(maps.Keys(fields(v))) {
		if !slices.Contains(known, name) {
			i.noteOther(path, name)
		}
	}
}

// noteOther notes a field that is no part of an effective policy.
func (i *importer) noteOther(path, name string) {
	why := "no field of tag policies that is known"
	if name == "@@operators_allowed_for_child_policies" {
		why = "it is for policies that inherit, and effective policies don't"
	}

	i.notef("%s%s: %s", path, words.Name(name), why)
}
