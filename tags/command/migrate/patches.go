package migrate

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	fields "github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A patch in the input of function-patch-and-transform stands in a resource, or in a patch set.
type patch struct {
	node  *yaml.Node
	where string
	kind  string

	// to is the field of the composed resource that the patch writes. It is zero if the patch writes elsewhere.
	to object.Path

	// stays says why the patch stays in the Composition. It is empty if the patch becomes a label.
	stays string

	// isInSet says whether the patch stands in a patch set. unfit are resources that use the set and keep the patch in it, with the reasons.
	isInSet bool
	unfit   []string

	// writesTags says whether the patch writes tags of a resource.
	writesTags bool
}

// A patchSet has a list of patches. nodes are the set itself, and the patches of type PatchSet in resources that name the set.
type patchSet struct {
	patches []*patch
	nodes   []*yaml.Node
}

// A use is a patch of one resource. A patch of a set has a use per resource.
type use struct {
	*patch
	label

	// touches says whether the patch may write tags: the tag of the label, or any tag if the label has no key.
	touches bool
}

// meets reports whether both patches may write a tag with the same key.
func (u *use) meets(other *use) bool {
	return u.touches && other.touches && u.label.meets(other.label)
}

// A resource is made by function-patch-and-transform.
type resource struct {
	name string

	// base is the object in the Composition. field holds the tags, or why says why no field is known.
	base  *yaml.Node
	field *fields.Field
	why   string

	// mayTag says whether this function may tag the resource. It is false if the function leaves the resource alone for sure.
	mayTag bool

	// managed says whether function-tag-manager tags the resource.
	managed bool

	uses []*use
}

// ordered returns the uses of patches that become labels, in the order of their sources: the last source with a key counts. The first patch
// counts that retains a tag, but a patch that replaces the tag counts more than any of these.
func (r *resource) ordered() (out []*use) {
	for _, u := range r.uses {
		if !u.isTakenOut() {
			continue
		}

		at := len(out)
		if meets := slices.IndexFunc(out, u.meets); u.retain && meets >= 0 {
			at = meets
		}

		out = slices.Insert(out, at, u)
	}

	return out
}

// A patchStep is a pipeline step that runs function-patch-and-transform, or another function with its input.
type patchStep struct {
	*step

	sets      map[string]*patchSet
	resources []*resource

	// patches has the patches of all sets and resources, in the order of the file.
	patches []*patch

	// writesEnvironment says whether a patch changes the environment, such as ToEnvironmentFieldPath. Later patches read it.
	writesEnvironment bool
}

// toComposed are the types of patches that change the composed resource. All other types change something else.
var toComposed = []string{"FromCompositeFieldPath", "CombineFromComposite", "FromEnvironmentFieldPath", "CombineFromEnvironment"}

// readPatches reads a step of function-patch-and-transform, and decides which of its patches become labels.
func readPatches(s *step) *patchStep {
	p := &patchStep{step: s, sets: make(map[string]*patchSet)}

	for _, n := range items(s.input, "patchSets") {
		set, name := &patchSet{nodes: []*yaml.Node{n}}, text(n, "name")
		for i, n := range items(n, "patches") {
			member := p.add(n, fmt.Sprintf("patches[%d] of patch set %s", i, words.Name(name)))
			member.isInSet = true
			set.patches = append(set.patches, member)
		}

		p.sets[name] = set
	}

	p.resources = words.Map(items(s.input, "resources"), p.resource)

	for _, r := range p.resources {
		r.locate()

		switch {
		case r.name == "":
			r.field, r.why = nil, "the resource has no name, by which the new step could select it"
		case slices.ContainsFunc(p.resources, func(other *resource) bool { return other != r && other.name == r.name }): // By turns, as conditions say.
			r.field, r.why = nil, "another resource has its name"
		}

		for _, u := range r.uses {
			p.judge(r, u)
		}
	}

	for _, member := range p.patches {
		if len(member.unfit) > 0 {
			member.keep("its set is also for " + strings.Join(member.unfit, ", ") + ": use a patch set without tags there")
		}
	}

	p.settle()

	return p
}

// add reads the patch in the node. where names it in notes.
func (p *patchStep) add(n *yaml.Node, where string) *patch {
	added := &patch{node: n, where: where, kind: cmp.Or(text(n, "type"), toComposed[0])}
	p.writesEnvironment = p.writesEnvironment || strings.Contains(added.kind, "ToEnvironment")

	p.patches = append(p.patches, added)

	if slices.Contains(toComposed, added.kind) {
		added.to, _ = object.ParsePaths(toOf(n)) // A path that can't be parsed is zero.
	}

	unknown := words.MapIf(slices.Collect(slices.Chunk(n.Content, 2)), func(pair []*yaml.Node) (string, bool) {
		return words.Name(pair[0].Value), n.Kind == yaml.MappingNode && !slices.Contains(patchFields, pair[0].Value)
	})

	if _, ok := p.itemOf(n); !ok {
		added.stays = "it isn't on lines of its own"
	} else if len(unknown) > 0 {
		added.stays = "migrate doesn't know its " + words.Names(unknown)
	}

	return added
}

// patchFields are the fields of a patch in the input of function-patch-and-transform.
var patchFields = []string{"type", "fromFieldPath", "toFieldPath", "combine", "transforms", "policy", "patchSetName"}

// resource reads the resource in the node, with its patches and the patches of its sets.
func (p *patchStep) resource(n *yaml.Node) *resource {
	r := &resource{name: text(n, "name"), base: field(n, "base")}

	for i, n := range items(n, "patches") {
		if text(n, "type") != "PatchSet" {
			r.uses = append(r.uses, &use{patch: p.add(n, fmt.Sprintf("patches[%d] of resource %s", i, words.Name(r.name)))})
			continue
		}

		if set := p.sets[text(n, "patchSetName")]; set != nil {
			set.nodes = append(set.nodes, n)
			_, ok := p.itemOf(n)

			for _, member := range set.patches {
				if !ok && member.stays == "" {
					member.stays = "a use of its set isn't on lines of its own"
				}

				r.uses = append(r.uses, &use{patch: member})
			}
		}
	}

	return r
}

// locate finds the tag field of the resource.
func (r *resource) locate() {
	o, ok := decode(r.base)
	if !ok {
		r.why = "the resource has no base that says its kind"
		return
	}

	t, located := locateTags(r.name, object.FromStruct(o))
	r.mayTag = located || t.NoFieldReason.IsUnknown()
	r.managed = t.NoFieldReason == locate.None && t.Field.Shape == fields.Map && t.Field.Path.Equal(managedTags) && tagManaged.MatchString(t.Kind.Group)

	switch {
	case t.LeaveReason != locate.None:
		r.why = "the resource " + t.WhyLeftAlone(t.LeaveReason)
	case text(r.base, "metadata", "annotations", ignoreResource) != "":
		r.why = "the resource is annotated " + ignoreResource
	case t.NoFieldReason != locate.None:
		r.why = "the resource " + t.WhyLeftAlone(t.NoFieldReason)
	case t.Field.Shape != fields.Map && t.Field.Shape != fields.KeyValueList:
		r.why = "its tags are of shape " + string(t.Field.Shape)
	default:
		r.field = t.Field
	}
}

// function-tag-manager knows one tag field, managedTags, and API groups that tagManaged matches.
var (
	managedTags = object.MustParsePath("spec.forProvider.tags")
	tagManaged  = regexp.MustCompile(`(aws|azure)\.(m\.)?upbound\.io$`)
)

// decode returns the object in the node. It returns false if the node is no object.
func decode(n *yaml.Node) (*structpb.Struct, bool) {
	var o map[string]any
	if n == none || n.Decode(&o) != nil {
		return nil, false
	}

	s, err := v1beta1.ToStruct(o)

	return s, err == nil
}

// This function ignores resources with the annotation ignoredHere, and function-tag-manager with ignoredThere.
var (
	ignoredHere  = object.MustParsePath("metadata.annotations[" + locate.IgnoreAnnotation + "]")
	ignoredThere = object.MustParsePath("metadata.annotations[" + ignoreResource + "]")
)

// leaving are fields that make this function or function-tag-manager leave a resource alone.
var leaving = append(fields.LeaveAlonePaths(), ignoredHere, ignoredThere)

// leaving returns the paths of patches that may make this function leave a resource alone.
func (p *patchStep) leaving() []string {
	return words.Distinct(words.MapIf(p.patches, func(patch *patch) (string, bool) {
		leaves := func(to object.Path) bool { return shared(patch.to.Segments(), to.Segments()) == len(to.Segments()) }

		return toOf(patch.node), slices.ContainsFunc(leaving, leaves)
	}))
}

// judge decides whether the patch becomes a label of the resource, and says why not.
func (p *patchStep) judge(r *resource, u *use) {
	switch {
	case u.to.IsZero():
		u.keep("it doesn't patch resources")
		return
	case r.field == nil:
		u.writesTags = u.writesTags || looksLikeTags(u.to)

		if u.isInSet {
			u.unfit = append(u.unfit, fmt.Sprintf("%s (%s)", words.Name(r.name), r.why))
		} else {
			u.keep(r.why)
		}

		return
	}

	path, tags, initial := u.to.Segments(), r.field.Path.Segments(), fields.InitialPath(r.field.Path).Segments()

	switch shared(path, tags) {
	case len(tags):
		u.touches, u.writesTags = true, true
		p.judgeTag(r, u, path[len(tags):])
	case len(path):
		u.touches, u.writesTags = true, true
		u.keep("it patches more than tags")
	default:
		if shared(path, initial) == len(initial) && len(initial) > 0 {
			u.writesTags = true
			u.keep("the provider writes tags of spec.initProvider only once, and tags of a source at each change")
		}

		u.writesTags = u.writesTags || looksLikeTags(u.to) // Such as tagSpecifications[0].tags of a launch template.
		u.keep("of resource " + words.Name(r.name) + " it patches another field than " + r.field.Path.String())
	}
}

// hasInitialTags reports whether the base or a patch may set tags in spec.initProvider. For function-patch-and-transform and
// function-tag-manager, these are no tags that are there. For this function they are.
func (r *resource) hasInitialTags() bool {
	if r.field == nil {
		return false
	}

	path := fields.InitialPath(r.field.Path)
	writes := func(u *use) bool {
		n := shared(u.to.Segments(), path.Segments())
		return n > 1 && n == min(len(u.to.Segments()), len(path.Segments()))
	}

	return len(r.tagsAt(path)) > 0 || slices.ContainsFunc(r.uses, writes)
}

// keep lets the patch stay in the Composition for the reason. An earlier reason counts, and an empty one is none.
func (p *patch) keep(why string) { p.stays = cmp.Or(p.stays, why) }

// shared returns the number of segments that the path of a patch shares with the path of a field. With all segments of the field's path,
// the patch writes the field, or into it. With all segments of its own path, the patch writes an object around the field.
func shared(path, to object.Segments) int {
	for i, s := range to {
		if i == len(path) || path[i] != s && path[i].Field != wildcard {
			return i
		}
	}

	return len(to)
}

const wildcard = "*"

// looksLikeTags reports whether a part of the path ends with tags or labels, such as spec.forProvider.userTags. Labels of
// Kubernetes are none: metadata.labels in a manifest, and matchLabels in a selector.
func looksLikeTags(path object.Path) bool {
	for _, s := range path.Segments()[1:] {
		switch name := strings.ToLower(s.Field); {
		case name == "metadata" || name == "matchlabels":
			return false
		case strings.HasSuffix(name, "tags") || strings.HasSuffix(name, "labels"):
			return path.Segments()[0].Field == "spec"
		}
	}

	return false
}

// judgeTag reads the label that the patch gives. rest is its path within the tag field.
func (p *patchStep) judgeTag(r *resource, u *use, rest object.Segments) {
	key, why := r.key(rest)
	u.keep(why)

	u.label, why = read(u.node, u.kind)
	u.keep(why)

	before := r.uses[:slices.Index(r.uses, u)]
	meets := slices.ContainsFunc(before, u.meets)
	policy := text(u.node, "policy", "toFieldPath")

	if u.key = key; u.isMap() {
		if u.from == "" && u.field == "" {
			u.keep("it makes something else than the map of a field" + seeTransform)
		}

		u.from, u.field, u.expression = text(u.node, "fromFieldPath"), "", ""
		if r.field.Shape == fields.KeyValueList {
			u.list = fmt.Sprintf("{key: %s, value: %s}", plain(r.field.Key), plain(r.field.Value))
		}

		switch hasTags := meets || len(r.tags()) > 0; {
		case hasTags && (policy == "" || policy == "Replace"):
			u.keep("without a policy it drops the tags that are there" + seeMap)
		case hasTags && u.list != "" && policy == "ForceMergeObjects": // AppendArray keeps them.
			u.keep("its policy drops the tags that are there" + seeList)
		}
	}

	switch {
	case u.environment && p.writesEnvironment:
		u.keep("it reads the environment, which another patch changes")
	case r.field.Shape != fields.Map && slices.ContainsFunc(before, func(b *use) bool { return b.touches && b.isMap() }):
		u.keep("one before it patches the list of tags elsewhere, so another key may stand at its place" + seeList)
	case u.retain && r.field.Shape != fields.Map:
		u.keep("its policy retains what a list has" + seeList)
	case u.retain && r.hasInitialTags():
		u.keep("its policy passes over tags of spec.initProvider, and no source does")
	case u.isMap() && r.field.Shape != fields.Map && len(r.tags()) == 0 && r.hasInitialTags():
		u.keep("the provider drops the list in spec.initProvider for its list, and a source keeps both")
	case u.retain && (meets && !p.noEmptyValues || slices.ContainsFunc(r.tags(), func(n *yaml.Node) bool { return n.Value == "" })):
		// For function-patch-and-transform, an empty tag is absent.
		why := policy + " writes over tags that are empty in the base or by patches before it, as no source does"
		if meets {
			why += "; --no-empty-values says that patches make none"
		}

		u.keep(why + seeMap)
	}
}

// key returns the key of the tag that a patch writes: env for the rest env of a map, and the key of entry 0 for the rest [0].value
// of a list. The key is empty for all of a map. If there is no such key, why says so.
func (r *resource) key(rest object.Segments) (key, why string) {
	switch isMap := r.field.Shape == fields.Map; {
	case isMap && len(rest) == 0:
		return "", ""
	case isMap && len(rest) == 1 && !rest[0].IsIndex && rest[0].Field != wildcard:
		return rest[0].Field, ""
	case isMap:
		return "", "it patches something else than a tag, or all of them"
	case len(rest) == 0:
		return "", ""
	}

	list := r.tags()

	if len(rest) == 2 && rest[0].IsIndex && int(rest[0].Index) < len(list) && rest[1].Field == r.field.Value {
		key := text(list[rest[0].Index], r.field.Key)
		same := func(n *yaml.Node) bool { return text(n, r.field.Key) == key }

		if key != "" && slices.IndexFunc(list, same) == int(rest[0].Index) && !slices.ContainsFunc(list[rest[0].Index+1:], same) {
			return key, ""
		}
	}

	return "", "it patches a list of tags elsewhere than at the " + r.field.Value + " of an entry whose key the base has" + seeList
}

// tags returns the tags of the base: keys and values of a map, or the entries of a list.
func (r *resource) tags() []*yaml.Node { return r.tagsAt(r.field.Path) }

// tagsAt returns what the base has at the path of a map or list.
func (r *resource) tagsAt(path object.Path) []*yaml.Node {
	return field(r.base, words.Map(path.Segments(), func(s object.Segment) string { return s.Field })...).Content
}

// settle lets a patch stay if a later patch of the same tag stays: the new step would come after both. That can make other patches
// stay, too.
func (p *patchStep) settle() {
	for again := true; again; {
		again = false

		for _, r := range p.resources {
			for i, u := range r.uses {
				if u.stays == "" && slices.ContainsFunc(r.uses[i+1:], func(behind *use) bool { return behind.stays != "" && behind.meets(u) }) {
					u.keep("one behind it stays that patches the same tags")

					again = true
				}
			}
		}
	}
}

// isTakenOut reports whether the patch becomes a label, and leaves the Composition.
func (p *patch) isTakenOut() bool { return p.writesTags && p.stays == "" }
