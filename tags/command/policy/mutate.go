package policy

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/command/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/target"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// mutate returns policies that add the tags of labels which admission knows: one for each tag field.
func (p *policy) mutate(s *manifest.Step, profiles []*profile.Profile) (string, error) {
	p.noteUnknown()

	fields, err := p.tagFields(s, profiles, func(f *tagField) []string {
		f.Labels = p.labelsOf(f)
		f.Rules = nil // Of the tag policy, nothing can be added.

		return append(f.Labels, f.Columns()[0], f.Columns()[1], fmt.Sprintf("%p %t %t %t %v", f.Guard, f.Within, f.Sorted, f.CreateOnly(), f.ProviderTags))
	})
	if err != nil {
		return "", err
	}

	fields = slices.DeleteFunc(fields, func(f *tagField) bool { return len(f.Labels) == 0 })
	if len(fields) == 0 {
		return "", errors.Errorf("--mutate: no source gives labels that admission knows to a kind that has a tag field: %s", cmp.Or(strings.Join(p.Notes, "; "), "all sources are for others"))
	}

	var out []dict
	for _, f := range fields {
		out = append(out, f.mutating(f.mutates())...)
	}

	return p.print("add tags for", out...)
}

// mutates returns the spec of the policy that adds tags to the field. Only a comprehension can name what an expression comes to.
func (f *tagField) mutates() dict {
	operations := []string{"CREATE"}
	if !f.CreateOnly() {
		operations = append(operations, "UPDATE")
	}

	return dict{
		"failurePolicy":      "Fail",
		"reinvocationPolicy": "Never",
		"matchConstraints":   f.constraints(operations...),
		"matchConditions": f.conditions(
			named("stays", "object.metadata.?deletionTimestamp.orValue(null) == null"),
			named("not-ignored", fmt.Sprintf("object.metadata.?annotations[?%s].orValue('') != 'true'", quote(target.IgnoreAnnotation))),
		),
		"variables": given(
			named("labels", "object.metadata.?labels.orValue({})"),
			named("annotations", "object.metadata.?annotations.orValue({})"),
			named("namespaceLabels", "namespaceObject == null ? {} : namespaceObject.metadata.?labels.orValue({})"),
			named("namespaceAnnotations", "namespaceObject == null ? {} : namespaceObject.metadata.?annotations.orValue({})"),
			named("made", f.made()),
			named("tags", f.winners()),
			named("spellings", f.spellings()),
			named("there", f.Tags("object")),
			named("taken", f.taken()),
			named("replaced", f.replaced()),
			named("gone", f.gone()),
			named("changed", "lists.range(variables.there.size()).filter(i, variables.gone[i] == 'no' && variables.replaced[i].size() > 0)"),
			named("stays", f.stays()),
			named("new", f.missing()),
		),
		"mutations": []dict{{"patchType": "JSONPatch", "jsonPatch": dict{"expression": f.patches()}}},
	}
}

// yes is the expression of 'yes' if the condition holds, or else of 'no'. One that is empty never holds.
func yes(condition string) string {
	if condition == "" {
		return "'no'"
	}

	return condition + " ? 'yes' : 'no'"
}

// made is the expression of what becomes of each label, as the transformer of the function has it.
func (f *tagField) made() string {
	var skipped strings.Builder

	for _, r := range f.skips() {
		if r.Condition != "" {
			fmt.Fprintf(&skipped, "    %s ? '%s' :\n", r.Condition, r.Reason)
		}
	}

	entry := "''"
	if f.Shape == field.StringList {
		entry = f.folded("(tag + " + quote(f.Separator) + " + value)")
	}

	return fmt.Sprintf(`(
  %s
).map(l, [%s].map(tag, [%s].map(value, {
  'key': tag, 'value': value, 'was': l.tag, 'source': l.source, 'replaces': %s,
  'rank': (l.trusted == 'yes' ? '1' : '0') + l.source,
  'order': (l.trusted == 'yes' ? '0' : '1') + l.key + "\x00" + l.tag,
  'reserved': %s,
  'id': %s, 'entry': %s,
  'skipped':
%s    ''
})[0])[0])`, indented(strings.Join(f.Labels, " +\n")), f.Guard.Made, f.Guard.Formatted, yes(anyOf("l.replaces == 'yes'", f.Guard.claims())), yes(f.Guard.claims()), f.Guard.folds("tag"), entry, skipped.String())
}

// winners is the expression of the labels that become tags. Those of later sources win, but what may not have a key doesn't. Of labels that
// come to one key, trusted ones win, and then those of later sources.
func (f *tagField) winners() string {
	return fmt.Sprintf(`[variables.made.filter(l, l.skipped != 'reserved-key')]
  .map(all, all.filter(l, l.skipped == '' && !all.exists(o, o.was == l.was && o.source > l.source)))
  .map(all, all.filter(l, !all.exists(o, %s && (o.rank > l.rank || o.rank == l.rank && o.order < l.order))))[0]`, f.collides())
}

// replaced is the expression of the label that replaces each of the object's tags that isn't taken away, as a list, which is empty if none does. What
// differs only in the case of its key stays as it is, unless that is reserved, or the label also takes the place of others.
func (f *tagField) replaced() string {
	differs := "l.value != e.value"
	if f.ignoresCase() {
		differs = fmt.Sprintf("(l.value != e.value || l.key != e.key && (l.reserved == 'yes' || variables.there.filter(o, %s).size() > 1))", f.same("o"))
	}

	return fmt.Sprintf("lists.range(variables.there.size()).map(i, [variables.there[i]].map(e, variables.tags.filter(l,\n"+
		"  variables.taken[i] == 'no' && l.replaces == 'yes' && %s && %s))[0])", f.same("e"), differs)
}

// gone is the expression of which of the object's tags go, in their order: those that are taken away, and, in a list of strings, those that become a
// string which is there already, as the provider compares them.
func (f *tagField) gone() string {
	if f.Shape != field.StringList {
		return "variables.taken"
	}

	return fmt.Sprintf(`lists.range(variables.there.size()).map(i, variables.taken[i] == 'yes' || variables.replaced[i].exists(l,
  lists.range(variables.there.size()).exists(j, j != i && variables.taken[j] == 'no' && l.entry ==
    (variables.replaced[j].exists(o, o.order < l.order) ? variables.replaced[j][0].entry : %s))) ? 'yes' : 'no')`, f.folded("variables.there[j].text"))
}

// missing is the expression of the tags that aren't there, as far as there are slots for them: trusted ones first.
func (f *tagField) missing() string {
	provided := ""
	if len(f.ProviderTags) > 0 && f.Guard.policy.ProviderTags != v1beta1.ProviderTagsNone {
		provided = fmt.Sprintf(" - %s.filter(k, !there.exists(e, e.key == k)).size()", list(f.ProviderTags))
	}

	fewer := ""
	if f.Shape == field.StringList {
		fewer = fmt.Sprintf(".map(all, [variables.stays.map(t, %s)].map(s, all.filter(l, !(l.entry in s) && all.filter(o, o.entry == l.entry)[0].key == l.key))[0])", f.folded("t"))
	}

	return fmt.Sprintf(`[lists.range(variables.there.size()).filter(i, variables.gone[i] == 'no').map(i, variables.there[i])].map(there,
  [%d - there.size()%s].map(slots,
    [variables.tags.filter(l, !there.exists(e, %s)).sortBy(l, l.order)]%s.map(all,
      all.slice(0, slots < 0 ? 0 : slots < all.size() ? slots : all.size()).sortBy(l, l.key))[0])[0])[0]`, f.Guard.MaxTags-f.Guard.Kept(), provided, f.same("e"), fewer)
}

// folded is the string of a list as the provider compares it with others.
func (f *tagField) folded(text string) string {
	if f.Guard.FoldEntries {
		return f.Guard.folds(text)
	}

	return text
}

// stays is the expression of the strings of a list that stay, as they become.
func (f *tagField) stays() string {
	if f.Shape != field.StringList {
		return ""
	}

	return fmt.Sprintf("lists.range(variables.there.size()).filter(i, variables.gone[i] == 'no').map(i,\n"+
		"  (variables.replaced[i].map(l, %s) + [variables.there[i].text])[0])", f.value())
}

// patches is the expression of the JSON patches. Objects around the field and the field itself are made if they aren't there, but for those that are
// not ours to make. A field without tags goes.
func (f *tagField) patches() string {
	at, pointer := f.At("object"), pointer(f.Path.Segments())

	nothing := "variables.new.size() + variables.changed.size() == 0 && variables.gone.all(g, g == 'no')"
	if home := f.home(); home != "" {
		nothing += " || " + home + " == null"
	}

	kind, empty := "list", "[]"
	if f.isMap() {
		kind, empty = "map", "{}"
	}

	var patches []string

	for n := range f.Path.Segments() {
		if n > 0 && !f.isHome(n) {
			patches = append(patches, makes(f.Path.First(n), "{}"))
		}
	}

	if f.Sorted {
		patches = append(patches, fmt.Sprintf(`[JSONPatch{op: "add", path: %s, value: (variables.stays + variables.new.map(l, %s)).sort()}]`, quote(pointer), f.value()))
	} else {
		patches = append(append(patches, makes(f.Path, empty)), f.changes(quote(pointer+"/"))...)
	}

	return fmt.Sprintf("%s || ![%s].all(f, f == null || type(f) == %s) ? [] :\n", nothing, at, kind) +
		fmt.Sprintf("variables.new.size() == 0 && variables.gone.all(g, g == 'yes') && %s.size() == variables.gone.size() ? [JSONPatch{op: \"remove\", path: %s}] :\n", at, quote(pointer)) +
		strings.Join(patches, " +\n")
}

// makes is the expression of the patch that makes what isn't there at the path.
func makes(path object.Path, value string) string {
	return fmt.Sprintf(`(%s == null ? [JSONPatch{op: "add", path: %s, value: %s}] : [])`, (&fieldMap{path: path}).At("object"), quote(pointer(path.Segments())), value)
}

// changes are the expressions of the patches of single tags: those that get another value, those that go, the last first, and those that are new. The
// pointer is that of the field, and a slash.
func (f *tagField) changes(pointer string) (out []string) {
	position, end := "string(i)", "'-'"
	if f.isMap() {
		position, end = "jsonpatch.escapeKey(variables.there[i].key)", "jsonpatch.escapeKey(l.key)"
	}

	for _, p := range f.puts() {
		out = append(out, fmt.Sprintf(`variables.changed.map(i, variables.replaced[i].map(l, JSONPatch{
  op: %s, path: %s + %s + %s, value: %s
})[0])`, quote(p.Op), pointer, position, quote(p.Below), p.Value))
	}

	return append(out,
		fmt.Sprintf(`lists.range(variables.there.size()).reverse().filter(i, variables.gone[i] == 'yes').map(i, JSONPatch{op: "remove", path: %s + %s})`, pointer, position),
		fmt.Sprintf(`variables.new.map(l, JSONPatch{op: "add", path: %s + %s, value: %s})`, pointer, end, f.value()))
}

// noteUnknown adds notes on what the input says and policies can't do.
func (p *policy) noteUnknown() {
	for i := range p.Sources {
		if why := p.unknown(&p.Sources[i]); why != "" {
			p.Notes = append(p.Notes, p.SourceName(i)+" "+why)
		}
	}

	if len(p.RemoveTags)+len(p.IgnoreTags) > 0 {
		p.Notes = append(p.Notes, "removeTags and ignoreTags: labels with the keys that they name are left out, and tags that objects have themselves stay")
	}

	for name, f := range p.Values() {
		if _, _, lower := f.Parts(); lower {
			p.Notes = append(p.Notes, "values that aren't ASCII on "+name+", which valueFormats put in lower case")
		}
	}

	slices.Sort(p.Notes)
}

// unknown says why admission doesn't know the labels of the source, if it doesn't, or only some of them.
func (p *policy) unknown(s *v1beta1.Source) string {
	switch {
	case includesByField(s):
		return "includes what a field says, which admission doesn't know"
	case s.Type == v1beta1.SourceTypeValue:
	case s.Type != v1beta1.SourceTypeCompositeMetadata && !isOwnNamespace(s):
		return fmt.Sprintf("(%s) has labels that admission doesn't know", s.Type)
	case s.OnConflict == tags.Refuse:
		return "has onConflict Error, for which Retain stands here"
	}

	return ""
}

// includesByField is true if a field says which labels the source includes.
func includesByField(s *v1beta1.Source) bool {
	return s.Include != nil && (!s.Include.FromFieldPath.IsZero() || s.Include.ContextKey != "" || s.Include.Source != "")
}

// isOwnNamespace is true if the source reads metadata of the namespace of the composite resource. What that composes
// is in the same namespace, and so it is that of the object.
func isOwnNamespace(s *v1beta1.Source) bool {
	r := s.Resource
	if s.Type != v1beta1.SourceTypeRequiredResource || r.APIVersion != "v1" || r.Kind != "Namespace" || r.Name == nil {
		return false
	}

	path := s.FromFieldPath.String()

	return r.Name.FromFieldPath.String() == "metadata.namespace" && (s.Prefix != "" || path == "metadata.labels" || path == "metadata.annotations")
}

// labelsOf returns the expressions of lists of the labels that sources give to the kinds of the field, in the order of the sources.
func (p *policy) labelsOf(f *tagField) []string {
	var out []string

	for i := range p.Sources {
		s := &p.Sources[i]

		selected, some := p.selects(s.Resources, f.kind, fmt.Sprintf("sources[%d].resources", i))
		if !some || includesByField(s) {
			continue
		}

		var labels []string

		switch {
		case s.Type == v1beta1.SourceTypeValue:
			labels = p.literals(s, i, f.Guard)
		case s.Type != v1beta1.SourceTypeCompositeMetadata && !isOwnNamespace(s):
		case s.Type == v1beta1.SourceTypeCompositeMetadata:
			labels = p.prefixed(s, i, "variables.labels", "variables.annotations")
		case s.Prefix == "":
			labels = p.prefixed(s, i, "variables.namespace"+strings.ToUpper(s.FromFieldPath.String()[9:10])+s.FromFieldPath.String()[10:])
		default:
			labels = p.prefixed(s, i, "variables.namespaceLabels", "variables.namespaceAnnotations")
		}

		for _, of := range labels {
			if condition := selected.Of("object"); condition != "" {
				of = fmt.Sprintf("(%s ? %s : [])", condition, of)
			}

			out = append(out, of)
		}
	}

	return out
}

// literals returns the list of the labels that the source has itself, if it has any.
func (p *policy) literals(s *v1beta1.Source, i int, g *guard) []string {
	var out []string

	for _, key := range sortedKeys(s.Values) {
		l := labelOf(s, key, p.KeyPrefix)

		folds := g.lower || g.IgnoresCase()

		if strings.ContainsFunc(key, func(r rune) bool { return folds && r > unicode.MaxASCII || !unicode.IsPrint(r) }) {
			p.Notes = add(p.Notes, fmt.Sprintf("the key %q of %s on %s, which is not ASCII", key, p.SourceName(i), g.Name))
		} else if includes(s.Include, l.QualifiedKey) {
			out = append(out, fmt.Sprintf("{'key': %s, 'tag': %s, 'value': %s, %s}", quote(l.QualifiedKey), quote(l.TagKey), quote(s.Values[key]), source(s, i)))
		}
	}

	if len(out) == 0 {
		return nil
	}

	return []string{"[\n  " + strings.Join(out, ",\n  ") + "\n]"}
}

// prefixed returns the list of the labels in the maps: what a later one has, an earlier one hasn't.
func (p *policy) prefixed(s *v1beta1.Source, i int, maps ...string) []string {
	r := &reading{how: howOf(s, "")}
	out := make([]string, len(maps))

	for at, of := range maps {
		value := of + "[k]"
		condition := "k.startsWith(" + quote(s.Prefix) + ")" + r.included

		if at+1 < len(maps) {
			condition += " && !(k in " + maps[at+1] + ")"
		}

		if r.encoding == v1beta1.EncodingJSON {
			condition += " && " + r.Legible(value)
		}

		out[at] = fmt.Sprintf("%s.filter(k, %s)\n  .map(k, {%s, 'value': %s, %s})", of, condition, p.Entry(r), r.Text(value), source(s, i))
	}

	return out
}

// source returns the fields of an entry of CEL that say which source a label is of. The object's author is not who may
// write composite resources, so that nothing of the object is trusted.
func source(s *v1beta1.Source, i int) string {
	trusted, replaces := "no", "no"
	if s.Trusted && s.Type != v1beta1.SourceTypeCompositeMetadata {
		trusted = "yes"
	}

	if s.OnConflict == tags.Replace {
		replaces = "yes"
	}

	return fmt.Sprintf("'form': '%s', 'trusted': '%s', 'replaces': '%s', 'source': '%03d'", s.KeyForm, trusted, replaces, i)
}

// skip is the name for reasons to skip labels that the tag field gives, other than the tag profile's.
const skip = "unfit"

// skips are the rules by which labels become no tags: those of the profile, and of the field.
func (f *tagField) skips() []rule {
	g := f.Guard
	out := append([]rule{{profile.ReservedKey, folded("tag", tags.ProvidersKeys())}}, g.Rules()...)

	unfit := []string{g.kept("tag", "value")}

	if g.Formatted != "l.value" && strings.HasSuffix(g.Formatted, ".lowerAscii()") {
		unfit = append(unfit, "!"+matches("l.value", ascii))
	}

	if f.KubernetesLabels {
		const name = `[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?`
		unfit = append(unfit, "!"+matches("tag", "^"+name+"$"), "!"+matches("value", "^("+name+")?$"))
	}

	if f.Shape == field.StringList {
		entry := fmt.Sprintf("(tag + %s + value)", quote(f.Separator))
		unfit = append(unfit, longer(entry, profile.Length{Runes: f.MaxLength}), longer(entry, g.Entry), outside(entry, g.EntryClass), f.begins(entry, tags.ProvidersKeys()))

		if forges := f.begins(entry, f.reserved()); forges != "" {
			unfit = append(unfit, "l.trusted == 'no' && "+forges)
		}
	}

	return append(out, rule{skip, or(unfit...)})
}

// kept is the condition that removeTags or ignoreTags name the tag.
func (p *guard) kept(key, value string) string {
	var out []string

	named := func(pattern string) string {
		return anyOf(matchesAny(p.folds(key), words.Map(p.keys.Patterns(pattern, p.policy.KeyPrefix), p.Fold))...)
	}

	for _, t := range p.policy.RemoveTags {
		switch {
		case t.Key == "":
		case t.Value != nil:
			out = append(out, named(t.Key)+" && "+value+" == "+quote(*t.Value))
		default:
			out = append(out, named(t.Key))
		}
	}

	for _, t := range p.policy.IgnoreTags {
		if t.Key != "" {
			out = append(out, named(t.Key))
		}
	}

	return or(out...)
}

// reserved are the tag keys that only labels of trusted sources may have.
func (f *tagField) reserved() []string {
	return tags.ReservedTagKeys(f.Guard.keys, f.Guard.policy.ReservedKeys, f.Guard.policy.KeyPrefix)
}

// begins returns the condition that the entry of a list of strings begins with one of the keys, in any case, and with the separator
// behind it.
func (f *tagField) begins(entry string, keys []string) string {
	of := words.Map(keys, func(p string) string {
		text, begins := strings.CutSuffix(p, "*")
		if text = foldedPattern(text); begins {
			text += ".*"
		}

		return text
	})

	if len(of) == 0 {
		return ""
	}

	return matches(entry, "(?is)^("+strings.Join(of, "|")+")"+regexp.QuoteMeta(f.Separator))
}

// taken is the expression of which of the object's tags are taken away, in their order.
func (f *tagField) taken() string {
	conditions := slices.DeleteFunc([]string{f.takenAway(), f.twin()}, func(c string) bool { return c == "" })

	return fmt.Sprintf("lists.range(variables.there.size()).map(i, [variables.there[i]].map(e, %s)[0])", yes(anyOf(conditions...)))
}

// twin is the condition that the key of the tag e, at the position i, is the key of an earlier tag in another case, and that a label
// replaces both. It is empty if the provider tells case.
func (f *tagField) twin() string {
	if !f.ignoresCase() {
		return ""
	}

	before := "variables.there.exists(o, o.key < e.key"
	if !f.isMap() {
		before = "lists.range(i).map(j, variables.there[j]).exists(o, true"
	}

	return fmt.Sprintf("variables.tags.exists(l, l.replaces == 'yes' && %s && %s && %s))", f.same("e"), before, f.same("o"))
}

// takenAway is the condition that the tag e of the object has a reserved key, which no label of the tags gives it. It is empty if there are none.
func (f *tagField) takenAway() string {
	if len(f.reserved()) == 0 {
		return ""
	}

	is := folded("e.key", f.reserved())
	if f.Shape == field.StringList {
		is = f.begins("e.text", f.reserved())
	}

	return fmt.Sprintf("%s && !%s && !variables.tags.exists(l, l.reserved == 'yes' && %s)", is, folded("e.key", tags.ProvidersKeys()), f.same("e"))
}

// ignoresCase is true if the field has no two tags whose keys differ only in case, unless labels say so.
func (f *tagField) ignoresCase() bool { return f.Guard.FoldKeys || f.Guard.FoldEntries && !f.isMap() }

// same is the condition that the tag of the object is that of the label l, by its key. One of a map can't be spelled in another way.
func (f *tagField) same(tag string) string {
	exact, inAnyCase := tag+".key == l.key", f.Guard.folds(tag+".key")+" == l.id"

	switch {
	case !f.ignoresCase():
		return exact
	case f.isMap():
		return fmt.Sprintf("(l.reserved == 'yes' ? %s : %s)", exact, inAnyCase)
	case f.Guard.FoldKeys:
		return inAnyCase
	default:
		return fmt.Sprintf("(l.id in variables.spellings ? %s : %s)", exact, inAnyCase)
	}
}

// spellings is the expression of the keys, as the provider compares them, that several of the tags have. It is empty unless the provider compares
// entries and not keys: then these are different tags.
func (f *tagField) spellings() string {
	if f.Guard.FoldKeys || !f.ignoresCase() {
		return ""
	}

	return "[variables.tags.map(l, l.id)].map(all, all.filter(k, all.filter(o, o == k).size() > 1))[0]"
}

// collides is the condition that the tags l and o have the same key.
func (f *tagField) collides() string {
	if f.Guard.FoldKeys {
		return "o.id == l.id"
	}

	return "o.key == l.key"
}

// isMap is true if the field is a map, and not a list.
func (f *tagField) isMap() bool { return f.Shape == field.Map || f.Shape == field.MapOfLists }

// pointer to what is at the path, as JSON patches have it.
func pointer(path object.Segments) string {
	var out strings.Builder

	for _, sg := range path {
		out.WriteString("/")

		if sg.Type == object.SegmentIndex {
			fmt.Fprint(&out, sg.Index)
		} else {
			out.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(sg.Field))
		}
	}

	return out.String()
}

// home is the expression of the object that must be there to hold the field, if it isn't ours to make: that in a list, or the one around a field
// that says so.
func (f *tagField) home() string {
	for n := len(f.Path.Segments()) - 1; n > 0; n-- {
		if f.isHome(n) {
			return (&fieldMap{path: f.Path.First(n)}).At("object")
		}
	}

	return ""
}

// isHome is true if what has the first n segments as its path must be there.
func (f *tagField) isHome(n int) bool {
	segments := f.Path.Segments()

	return f.Within && n == len(segments)-1 || slices.ContainsFunc(segments[n-1:], func(sg object.Segment) bool { return sg.Type == object.SegmentIndex })
}

// value is the expression of what the field has of the tag l.
func (f *tagField) value() string {
	switch f.Shape {
	case field.MapOfLists:
		return "[l.value]"
	case field.KeyValueList:
		parts := []string{quote(f.Key) + ": dyn(l.key)", quote(f.Value) + ": dyn(l.value)"}

		for _, name := range sortedKeys(f.Extra) {
			j, _ := f.Extra[name].MarshalJSON() // It came from JSON.
			parts = append(parts, fmt.Sprintf("%s: dyn(%s)", quote(name), j))
		}

		return "{" + strings.Join(parts, ", ") + "}"
	case field.StringList:
		return "l.key + " + quote(f.Separator) + " + l.value"
	default:
		return "l.value"
	}
}

// A put is an operation on what the field has of a tag, below the entry, and the expression of the value there.
type put struct{ Op, Below, Value string }

// puts replace what the field has of a tag. An entry of a list may have no value yet, and its key is spelled as the label's.
func (f *tagField) puts() []put {
	if f.Shape != field.KeyValueList {
		return []put{{"replace", "", f.value()}}
	}

	below := func(name string) string { return pointer(object.Segments{{Type: object.SegmentField, Field: name}}) }
	out := []put{{"add", below(f.Value), "l.value"}}

	if f.ignoresCase() {
		out = append(out, put{"replace", below(f.Key), "l.key"})
	}

	return out
}
