package rights

import (
	"fmt"
	"slices"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags/report"
)

// A projection of a response has what only the platform decides.
type projection struct {
	// Protected are the entries of tag fields whose key is reserved, a classifier's or a provider's, or that trusted labels give, by resource
	// and path of the field. Entries of trusted labels whose key a later source may have are in overridable.
	Protected map[string][]string

	// Managed are the resources whose tags are managed.
	Managed map[string]bool

	// Kept are tags of earlier steps on resources whose tags aren't managed.
	Kept map[string][]string

	// Steering are the labels and annotations that steer controllers, by resource.
	Steering map[string][]string

	// Broken are the rules of tagPolicy that resources break, if a trusted label or nobody may give the rule's key.
	Broken []string

	// overridable are the keys that trusted labels give, and that later sources may give, too. present are all keys of entries.
	overridable, present map[string][]string
}

// project returns the projection of the response for the person.
func (w *world) project(p person, rsp *fnv1.RunFunctionResponse) *projection {
	out := &projection{
		Protected: map[string][]string{}, Managed: map[string]bool{}, Kept: map[string][]string{}, Steering: map[string][]string{},
		overridable: map[string][]string{}, present: map[string][]string{},
	}
	rules := rulesOf(w.input)

	for i := range w.resources {
		r := &w.resources[i]
		after := rsp.GetDesired().GetResources()[r.name].GetResource().AsMap()
		out.Steering[r.name] = steeringIn(after)

		isManaged := slices.ContainsFunc(r.Fields, func(f tagField) bool { return slices.ContainsFunc(f.entries(after), isCanary) })
		isAsObserved := r.isIgnored() || rules.deselects && !isManaged

		for _, f := range r.Fields {
			// One manager owns all of a list.
			isEdited := p == editor && isAsObserved && f.Shape.Form().IsList

			if f.holdsTags(w.input) && !isEdited {
				out.add(&rules, r, &f, f.entries(after))
			}
		}
	}

	for i := range w.resources {
		if r := &w.resources[i]; !out.Managed[r.name] {
			out.keep(w, &rules, r, rsp.GetDesired().GetResources()[r.name].GetResource().AsMap())
		}
	}

	out.Broken = rules.brokenIn(rsp, out.Protected)

	for _, entries := range []map[string][]string{out.Protected, out.Kept} {
		for _, texts := range entries {
			slices.Sort(texts)
		}
	}

	return out
}

// add adds the entries of the resource's tag field f.
func (p *projection) add(rules *rules, r *resource, f *tagField, entries []entry) {
	place := r.name + " " + f.Path.String()

	for _, e := range entries {
		p.present[place] = append(p.present[place], e.keys...)

		if rules.ignoresCase(&r.resourceKind) { // A label is written to a tag of its key, however this one is spelled.
			e.text = strings.ToLower(e.text)
		}

		if isCanary(e) {
			p.Managed[r.name] = true
		}

		switch {
		case rules.protect(&r.resourceKind, f, &e), e.isTrusted() && !rules.overridable:
			p.Protected[place] = append(p.Protected[place], e.text)
		case e.isTrusted():
			p.overridable[place] = append(p.overridable[place], e.keys[len(e.keys)-1])
		}
	}
}

// keep adds the tags of earlier steps that the resource still has. Metadata that people write may be copied over a tag with its key.
func (p *projection) keep(w *world, rules *rules, r *resource, after map[string]any) {
	for _, f := range r.Fields {
		if !f.holdsTags(w.input) {
			continue
		}

		has := make(map[string]bool)
		for _, e := range f.entries(after) {
			has[e.text] = true
		}

		place := r.name + " " + f.Path.String()

		for _, e := range f.entries(r.desired()) {
			if has[e.text] && (!rules.copies || slices.Contains(e.keys, platformKey)) {
				p.Kept[place] = append(p.Kept[place], e.text)
			}
		}
	}
}

// lost returns the overridable keys that the other projection has no entry for.
func (p *projection) lost(other *projection) (out []string) {
	for place, keys := range p.overridable {
		for _, key := range keys {
			if !slices.ContainsFunc(other.present[place], func(k string) bool { return normal(k) == normal(key) }) {
				out = append(out, place+" "+key)
			}
		}
	}

	slices.Sort(out)

	return out
}

// decided returns labels and classes, as later steps get them, and the metadata of resources. Neither an editor nor a tagger decides about them.
func (w *world) decided(rsp *fnv1.RunFunctionResponse) map[string]any {
	out := map[string]any{"labels and classes": rsp.GetContext().GetFields()["resolved.example.org"].AsInterface()}

	for i := range w.resources {
		r := &w.resources[i]
		if slices.ContainsFunc(r.Fields, func(f tagField) bool { return f.isMetadata() }) {
			continue
		}

		metadata := union(rsp.GetDesired().GetResources()[r.name].GetResource().AsMap()["metadata"])
		annotations := union(metadata["annotations"])
		delete(annotations, "cloudtags.fn.plexsphere.com/ignored") // The function's own memory of the cloud.

		out[r.name] = []any{union(metadata["labels"]), annotations}
	}

	return out
}

// An entry of a tag field can be read as tags with several keys.
type entry struct {
	keys []string
	text string
}

// entries returns the entries that the field has in the resource.
func (f *tagField) entries(r map[string]any) (out []entry) {
	for _, v := range at(r, f.Path.Segments()) {
		switch v := v.(type) {
		case map[string]any:
			for key, value := range v {
				out = append(out, entry{keys: []string{key}, text: fmt.Sprint(key, ": ", value)})
			}
		case []any:
			for _, item := range v {
				out = append(out, f.entryOf(item))
			}
		case string:
			for word := range strings.SplitSeq(v, ",") {
				out = append(out, f.entryOf(word))
			}
		}
	}

	return out
}

// entryOf returns an item of a list: a tag, or a string whose key may end at any separator.
func (f *tagField) entryOf(item any) entry {
	if tag, ok := item.(map[string]any); ok {
		return entry{keys: []string{fmt.Sprint(tag["key"])}, text: fmt.Sprint(tag["key"], ": ", tag["value"])}
	}

	out := entry{text: strings.TrimSpace(fmt.Sprint(item))}
	for i := range out.text {
		if f.Separator != "" && strings.HasPrefix(out.text[i:], f.Separator) {
			out.keys = append(out.keys, out.text[:i])
		}
	}

	if out.keys == nil {
		out.keys = []string{out.text}
	}

	return out
}

// isCanary reports whether only a resource whose tags are managed has the entry.
func isCanary(e entry) bool {
	return slices.ContainsFunc(e.keys, func(key string) bool { return strings.HasSuffix(key, canary) })
}

// isTrusted reports whether the value is the platform's.
func (e *entry) isTrusted() bool { return strings.Contains(e.text, "trusted-") }

// steeringIn returns the metadata of the resource that steers controllers.
func steeringIn(r map[string]any) (out []string) {
	for _, name := range []string{"labels", "annotations"} {
		fields := union(union(r["metadata"])[name])
		for _, key := range steering {
			if v, ok := fields[key]; ok {
				out = append(out, fmt.Sprint(name, " ", key, ": ", v))
			}
		}
	}

	return out
}

// brokenIn returns the rules that resources break, by the condition, if the rule's key is reserved or a trusted label gives it.
func (s *rules) brokenIn(rsp *fnv1.RunFunctionResponse, protected map[string][]string) (out []string) {
	condition := rsp.GetConditions()[0]
	if condition.GetReason() != report.ReasonPolicyViolated {
		return nil
	}

	for part := range strings.SplitSeq(condition.GetMessage(), "; ") {
		key, _, _ := strings.Cut(part, " ")
		if !slices.Contains(s.policy, key) {
			continue
		}

		for place, entries := range protected {
			resource, _, _ := strings.Cut(place, " ")
			isGiven := slices.ContainsFunc(entries, func(text string) bool {
				return strings.HasPrefix(text, s.prefix+key) && strings.Contains(text, "trusted-")
			})
			broken := key + " on " + resource

			if (isGiven || s.isReserved(key)) && strings.Contains(part, resource) && !slices.Contains(out, broken) {
				out = append(out, broken)
			}
		}
	}

	slices.Sort(out)

	return out
}
