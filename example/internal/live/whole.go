package live

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// Tags that a resource should have, by key. There are none of a resource that isn't composed.
type Tags func(name string, r *unstructured.Unstructured) map[string]string

// Always returns the same tags for all resources.
func Always(tags map[string]string) Tags {
	return func(string, *unstructured.Unstructured) map[string]string { return tags }
}

// Whole is the invariant that each stored version of a composed resource has all tags of one generation, and no
// tags of another one. A later version never has tags of an earlier generation. No resource goes.
type Whole struct {
	ours func(key string) bool

	mu          sync.Mutex
	generations []Tags
	at          map[types.UID]int
}

// NewWhole wants these tags, and no other tags with keys of ours.
func NewWhole(ours func(key string) bool, want Tags) *Whole {
	return &Whole{ours: ours, generations: []Tags{want}, at: make(map[types.UID]int)}
}

// Change adds a generation of tags: from now on a resource may have the earlier tags or these. Call
// it before the labels are changed.
func (w *Whole) Change(want Tags) {
	w.mu.Lock()
	defer w.mu.Unlock()

	w.generations = append(w.generations, want)
}

// Objection returns an error for a resource without the tags of the last generation.
func (w *Whole) Objection(name string, r *unstructured.Unstructured) error {
	w.mu.Lock()
	defer w.mu.Unlock()

	want, have := w.generations[len(w.generations)-1](name, r), w.have(r)
	if maps.Equal(want, have) {
		return nil // None, or no map.
	}

	return Differs(want, have)
}

// Check is the Invariant.
func (w *Whole) Check(before, after *unstructured.Unstructured) error {
	w.mu.Lock()
	defer w.mu.Unlock()

	had := map[string]string{}
	name := ""

	if before != nil {
		had, name = w.have(before), composedName(before)
	}

	switch {
	case after == nil && name != "":
		return errors.New("a composed resource is gone")
	case after == nil:
		return nil
	case name == "":
		name = composedName(after)
	}

	if name == "" {
		return nil
	}

	have := w.have(after)

	at := w.at[after.GetUID()]
	for i, want := range w.generations[at:] {
		if maps.Equal(want(name, after), have) {
			w.at[after.GetUID()] = at + i
			return nil
		}
	}

	return fmt.Errorf("it has the tags %v, after %v: that is no generation of tags since number %d of %d, which is %v",
		have, had, at+1, len(w.generations), w.generations[at](name, after))
}

// have returns the tags of ours that a resource has.
func (w *Whole) have(r *unstructured.Unstructured) map[string]string {
	out := make(map[string]string)

	for key, value := range TagsOf(r) {
		if w.ours(key) {
			out[key] = value
		}
	}

	return out
}

// TagsOf returns a resource's tags from the fields of the tests' kinds: from a map, a list of keys and values, or a
// list of strings key=value.
func TagsOf(r *unstructured.Unstructured) map[string]string {
	out := make(map[string]string)
	add := func(key, value any) {
		k, _ := key.(string)
		out[k], _ = value.(string)
	}

	for _, path := range [][]string{
		{"spec", "forProvider", "tags"},
		{"spec", "forProvider", "tag"},
		{"spec", "forProvider", "labels"},
		{"spec", "tags"},
	} {
		for key, value := range Field[object](r, path...) {
			add(key, value)
		}

		for _, element := range Field[array](r, path...) {
			switch e := element.(type) {
			case object:
				add(e["key"], e["value"])
			case string:
				key, value, _ := strings.Cut(e, "=")
				add(key, value)
			}
		}
	}

	return out
}
