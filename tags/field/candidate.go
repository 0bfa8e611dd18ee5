package field

import (
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// A candidate is a field that carries a kind's cloud tags, if the kind has the field in one of the
// candidate's shapes.
type candidate struct {
	// paths at which the field can be: as it is, or with lists of one object in the
	// place of the objects on the path, as older versions of many kinds have them.
	paths []object.Path

	shapes []Shape

	// observed are the paths at which a provider can report the cloud's tags, the most
	// complete one first. They count if they are there in the same shape.
	observed []object.Path

	// extra has the fields that an entry of a KeyValueList must have besides key and value, as far as
	// its type has them.
	extra map[string]*structpb.Value

	// spare fields of a KeyValueList's entry are left alone. An entry is no tag if it has any
	// other field, or requires a spare field.
	spare []string

	// anyNames reports whether the key and the value of a KeyValueList's entry may be in fields of any names.
	anyNames bool

	// separator of key and value in an entry of a StringList, and how many characters an entry
	// may have.
	separator string
	maxLength int

	// version of the kind that has the field, or empty if all versions have it.
	version string

	onRequest, fixed, inside, inOrder, refuses bool

	// why says why the field is used on request only, is fixed or refuses changes.
	why string
}

// maxWord is how many characters a tag of one word may have, by the API references of most clouds
// with such tags. The references of the other clouds name no limit.
const maxWord = 255

// at returns a candidate: a map of strings at the path below spec.forProvider. It is observed at
// the other paths below status.atProvider. With a dot in front, a path is one of the whole
// resource: at(".spec.tags").
func at(path string, observed ...string) *candidate {
	c := &candidate{paths: forms(forProvider, path), shapes: []Shape{Map}}
	for _, o := range observed {
		c.observed = append(c.observed, forms(atProvider, o)...)
	}

	return c
}

// as gives the candidate other shapes.
func (c *candidate) as(shapes ...Shape) *candidate {
	c.shapes = shapes
	return c
}

// words makes the candidate a list of words, each a key, the separator and a value.
func (c *candidate) words(separator string) *candidate {
	c.shapes, c.separator, c.maxLength = []Shape{StringList}, separator, maxWord
	return c
}

// upTo says how many characters an entry of the candidate may have.
func (c *candidate) upTo(maxLength int) *candidate {
	c.maxLength = maxLength
	return c
}

// with gives extra and spare fields to the entries of the candidate.
func (c *candidate) with(extra map[string]*structpb.Value, spare ...string) *candidate {
	c.extra, c.spare = extra, spare
	return c
}

// ofAnyNames makes the candidate one of lists of objects, too, whose fields for key and value have unknown names.
func (c *candidate) ofAnyNames() *candidate {
	c.anyNames = true
	return c
}

// request makes the candidate one that is used only if an entry of tagFields names the kind, and
// says why: mostly a later change of it is refused, or replaces what runs, or is never made.
func (c *candidate) request(why string) *candidate {
	c.onRequest, c.why = true, why
	return c
}

// Why fields are used on request only, or are fixed, in several families.
const (
	ofTemplate    = "what is made with the template is made again, or changed, with each change"
	refusedByHook = "a webhook refuses any change"
	refusedByRule = "a rule of the kind's schema refuses any change"
	replaces      = "a change replaces the resource"
	inHash        = "tags are part of the hash by which Karpenter finds out that nodes are to be replaced"
	untried       = "nobody has tried what a later change does to what runs"
)

// once makes the candidate one for use on request only, and one that stays as it was created. why
// says why: the API server refuses any change.
func (c *candidate) once(why string) *candidate { return c.request(why).kept(why) }

// kept makes the candidate one that stays as it was created, and says why: a change is refused, or
// would replace the resource.
func (c *candidate) kept(why string) *candidate {
	c.fixed, c.why = true, why
	return c
}

// refusing makes the candidate one whose change the provider refuses, with every other change of the resource, and says why.
func (c *candidate) refusing(why string) *candidate {
	c.refuses, c.why = true, why
	return c
}

// sorted makes the candidate one whose entries the provider keeps in order.
func (c *candidate) sorted() *candidate {
	c.inOrder = true
	return c
}

// within makes the candidate one that is not made without the object around it, which has
// required fields, or says something by being there.
func (c *candidate) within() *candidate {
	c.inside = true
	return c
}

// onlyIn makes the candidate one of this version of the kind alone.
func (c *candidate) onlyIn(version string) *candidate {
	c.version = version
	return c
}

// forms returns the path as it is, and with lists of one object: a.b and a[0].b. The path is below
// another path unless it starts with a dot.
func forms(below, path string) []object.Path {
	if whole, ok := strings.CutPrefix(path, "."); ok {
		return []object.Path{object.MustParsePath(whole)}
	}

	out := []object.Path{object.MustParsePath(below + path)}
	if strings.Contains(path, ".") {
		out = append(out, object.MustParsePath(below+strings.ReplaceAll(path, ".", firstItem+".")))
	}

	return out
}
