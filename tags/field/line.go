package field

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// absent is what a column has that has nothing to say.
const absent = "-"

// Line puts what is known of a kind in one line of seven columns, with a tab
// between them: the group, the version and the kind, the path of its tag field, its
// shape, atomic if it is atomic, and the observed paths with commas between them.
//
//	autoscaling.aws.m.upbound.io	v1beta1	AutoscalingGroup	spec.forProvider.tag	KeyValueList(key,value,propagateAtLaunch=true)	atomic	status.atProvider.tag
//	networking.openstack.m.crossplane.io	v1alpha1	PortV2	spec.forProvider.tags	StringList(=,255)	-	status.atProvider.allTags,status.atProvider.tags
//	ec2.aws.m.upbound.io	v1beta1	Route	-	None	-	-
func Line(gvk schema.GroupVersionKind, f Field) string {
	return strings.Join(append([]string{gvk.Group, gvk.Version, gvk.Kind}, f.Columns()...), "\t")
}

// WrittenAs is true if tags are written in the same way to both fields, whatever is
// observed of them.
func (f Field) WrittenAs(other Field) bool {
	return slices.Equal(f.Columns()[:3], other.Columns()[:3])
}

// Columns are those of a Line that say what the field is.
func (f Field) Columns() []string {
	c := []string{f.Path.String(), string(f.Shape), absent, absent}

	switch f.Shape {
	case KeyValueList:
		args := []string{f.Key, f.Value}

		for _, name := range slices.Sorted(maps.Keys(f.Extra)) {
			// Only a number that isn't one can't be encoded.
			v, _ := json.Marshal(f.Extra[name].AsInterface()) //nolint:errchkjson // See above.
			args = append(args, name+"="+string(v))
		}

		c[1] += "(" + strings.Join(args, ",") + ")"
	case StringList:
		c[1] += "(" + f.Separator
		if f.MaxLength > 0 {
			c[1] += "," + strconv.Itoa(f.MaxLength)
		}

		c[1] += ")"
	case None:
		c[0] = absent
	case Map:
	}

	if f.Atomic {
		c[2] = "atomic"
	}

	if len(f.Observed) > 0 {
		observed := make([]string, len(f.Observed))
		for i, path := range f.Observed {
			observed[i] = path.String()
		}

		c[3] = strings.Join(observed, ",")
	}

	return c
}

// parseColumns returns the field that the supplied columns are of. It is good for
// what we write ourselves.
func parseColumns(c []string) (Field, error) {
	shape, args, _ := strings.Cut(strings.TrimSuffix(c[1], ")"), "(")

	f := Field{Shape: Shape(shape), Atomic: c[2] == "atomic"}

	if c[0] != absent {
		f.Path = object.MustParsePath(c[0])
	}

	if c[3] != absent {
		for path := range strings.SplitSeq(c[3], ",") {
			f.Observed = append(f.Observed, object.MustParsePath(path))
		}
	}

	switch f.Shape {
	case Map, None:
		return f, nil
	case KeyValueList:
		var err error

		f.Key, f.Value, f.Extra, err = parseKeyValueList(args)

		return f, err
	case StringList:
		sep, n, limited := strings.Cut(args, ",")
		f.Separator = sep

		if !limited {
			return f, nil
		}

		var err error

		f.MaxLength, err = strconv.Atoi(n)

		return f, errors.Wrapf(err, "cannot parse the length in %q", c[1])
	default:
		return f, errors.Errorf("%q is no shape", c[1])
	}
}

func parseKeyValueList(args string) (key, value string, extra map[string]*structpb.Value, err error) {
	a := strings.Split(args, ",")
	if len(a) < 2 {
		return "", "", nil, errors.Errorf("a list of %q has no key and value", args)
	}

	for _, e := range a[2:] {
		name, j, _ := strings.Cut(e, "=")

		v := &structpb.Value{}
		if err := json.Unmarshal([]byte(j), v); err != nil {
			return "", "", nil, errors.Wrapf(err, "cannot parse %q", e)
		}

		if extra == nil {
			extra = make(map[string]*structpb.Value)
		}

		extra[name] = v
	}

	return a[0], a[1], extra, nil
}
