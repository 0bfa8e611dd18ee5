package field

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"

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

	for i, path := range f.Observed {
		if i == 0 {
			c[3] = path.String()
		} else {
			c[3] += "," + path.String()
		}
	}

	return c
}

// parseField returns the field of which the index has the supplied columns: those of a
// Line, without spec.forProvider and status.atProvider. It is good for what we write ourselves.
func parseField(c []string) Field {
	shape, args, _ := strings.Cut(strings.TrimSuffix(c[1], ")"), "(")
	arg := strings.Split(args, ",")

	f := Field{Path: object.MustParsePath(forProvider + c[0]), Shape: Shape(shape), Atomic: c[2] == "atomic"}

	if c[3] != absent {
		for path := range strings.SplitSeq(c[3], ",") {
			f.Observed = append(f.Observed, object.MustParsePath(atProvider+path))
		}
	}

	switch f.Shape {
	case KeyValueList:
		f.Key, f.Value = arg[0], arg[1]

		for _, e := range arg[2:] {
			name, j, _ := strings.Cut(e, "=")

			v := &structpb.Value{}
			if err := v.UnmarshalJSON([]byte(j)); err != nil {
				panic(err)
			}

			if f.Extra == nil {
				f.Extra = make(map[string]*structpb.Value)
			}

			f.Extra[name] = v
		}
	case StringList:
		f.Separator = arg[0]
		if len(arg) > 1 {
			f.MaxLength, _ = strconv.Atoi(arg[1])
		}
	case Map, None:
	}

	return f
}
