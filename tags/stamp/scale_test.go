package stamp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/budget"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// manyThings returns so many resources without tags.
func manyThings(n int) map[string]*fnv1.Resource {
	out := make(map[string]*fnv1.Resource, n)
	for i := range n {
		out[fmt.Sprintf("resource-%05d", i)] = &fnv1.Resource{Resource: thing(`{"tags": {"Name": "x"}}`)}
	}

	return out
}

// manyLabels returns so many labels, sorted.
func manyLabels(n int) []tags.Label {
	out := make([]tags.Label, n)
	for i := range out {
		out[i] = label(fmt.Sprintf("k%05d", i), "v")
	}

	return out
}

// mapStamper returns a stamper of maps with the labels.
func mapStamper(set ...tags.Label) *Stamper {
	return &Stamper{
		Finder: locate.Finder{
			Input:      &v1beta1.CloudTags{Sources: []v1beta1.Source{{OnConflict: tags.Retain}}},
			Provider:   "aws",
			NewLocator: everywhere(reporting(shapes["Map"].field)),
		},
		Transformer: reserving([]string{"reserved-*"}, set...),
	}
}

// TestStampScales tests how much memory it takes that as many resources as composite resources have
// lack tag slots for as many labels as a set can have.
func TestStampScales(t *testing.T) {
	desired := manyThings(500)

	var before, after runtime.MemStats

	runtime.GC()
	runtime.ReadMemStats(&before)

	out, err := stampAll(mapStamper(manyLabels(1000)...), desired)
	if err != nil {
		t.Fatal(err)
	}

	runtime.ReadMemStats(&after)

	// A resource that has a tag has slots for as many labels in all.
	if n := len(out.Skips); n != 951 {
		t.Errorf("want 951 labels skipped, got %d", n)
	}

	if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 60 {
		t.Errorf("want less than 60 MB for 1,000 labels on 500 resources, got %d", mb)
	}
}

// TestCopyTags tests that a result holds its own tags. A pointer to one tag would keep all labels of the resource, which
// are 1,000 for each of 500 resources if an expression computes one of them from the name.
func TestCopyTags(t *testing.T) {
	all := []tags.Tag{{Key: "owner", Value: "team-a"}, {Key: "zone", Value: "a"}}

	r := Result{Records: []tags.Judged{{Tag: &all[0], Fate: tags.Tagged}, {Tag: &all[1], Fate: tags.Skipped}}}
	r.trim()
	r.copyTags()

	if len(r.Records) != 1 || r.Records[0].Tag == &all[0] || *r.Records[0].Tag != all[0] {
		t.Errorf("copyTags(): want a copy of the tag %v alone, got %v", all[0], r.Records)
	}
}

// TestTrim tests that a result of thousands of labels stays small: it names the first of them, and counts what is told of the others.
func TestTrim(t *testing.T) {
	const count = 1000

	r := Result{Changes: Changes{Added: make(map[string]Values)}}

	for i := range count {
		key := fmt.Sprintf("key-%04d", i)
		r.Records = append(r.Records, tags.Judged{Tag: &tags.Tag{Key: key}, Fate: tags.Tagged}, tags.Judged{Tag: &tags.Tag{Key: key}, Fate: tags.Retained})
		r.Changes.Added[key] = Values{After: "a"}
	}

	r.trim()

	if r.More != count-words.MaxNameCount || r.Changes.MoreAdded != count-words.MaxNameCount {
		t.Errorf("trim(): want %d withheld labels and %[1]d added tags without a name, got %d and %d", count-words.MaxNameCount, r.More, r.Changes.MoreAdded)
	}

	first := make([]string, words.MaxNameCount)
	for i := range first {
		first[i] = fmt.Sprintf("key-%04d", i)
	}

	for name, got := range map[string][]string{"Tagged": r.Keys(tags.Tagged), "Retained": r.Keys(tags.Retained), "added": slices.Sorted(maps.Keys(r.Changes.Added))} {
		if diff := cmp.Diff(first, got); diff != "" {
			t.Errorf("trim(): names of %s tags: -want, +got:\n%s", name, diff)
		}
	}
}

// TestStampChargesTrusted tests that trusted tags are charged though the resource has them already: the context records them for later
// steps, so that the response grows.
func TestStampChargesTrusted(t *testing.T) {
	l := label("a", "1")
	l.Trusted = true

	s := mapStamper(l)
	desired := map[string]*fnv1.Resource{"r": {Resource: thing(`{"tags": {"ours:a": "1"}}`)}}

	for room, want := range map[int]string{
		len("ours:a1"): "",
		len("ours:a"): `cannot record the trusted tags of composed resource "r" in the context: would add too much to the response: a run adds at most 6 bytes, ` +
			`since Crossplane takes no larger response: include fewer labels, select fewer keys, resources or items, or let nested composite resources compose a part of them`,
	} {
		s.Budget = budget.New(room)

		_, err := stampAll(s, desired)
		if diff := cmp.Diff(want, tagstest.Error(err)); diff != "" {
			t.Errorf("Stamp(...) with room for %d bytes: -want error, +got error:\n%s", room, diff)
		}
	}
}

// TestStampEnds tests that stamping ends once the client has gone.
func TestStampEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := mapStamper(label("a", "1"))

	targets, err := s.Targets(ctx, manyThings(3))
	if err != nil {
		t.Fatal(err)
	}

	cancel()

	if _, err := s.Targets(ctx, manyThings(3)); !errors.Is(err, context.Canceled) {
		t.Errorf("Targets(...): want the error of the context, got %v", err)
	}

	if out, err := s.Stamp(ctx, targets); !errors.Is(err, context.Canceled) || out != nil {
		t.Errorf("Stamp(...): want nothing but the error of the context, got %v, %v", out, err)
	}
}

// TestLimitError tests that callers can tell the error of a strict policy from others.
func TestLimitError(t *testing.T) {
	for policy, want := range map[v1beta1.LimitPolicy]bool{v1beta1.LimitPolicyApplyStrict: true, v1beta1.LimitPolicyApplyPartial: false} {
		s := mapStamper(labels(51)...)
		s.Input.LimitPolicy = policy

		if _, err := stampAll(s, desiring(`{}`)); errors.As(err, new(*LimitError)) != want {
			t.Errorf("Stamp(...) of 51 labels by %s: want a LimitError: %t, got %v", policy, want, err)
		}
	}
}

// hostile is an entry that is nothing but separators, once it has begun like a reserved key.
func hostile(size int) string { return "ours:reserved-x" + strings.Repeat("=", size) }

// listStamper returns a stamper of lists of strings with everything that reads entries. A few patterns are very long,
// so that entries are read to this length.
func listStamper(patterns, size int) *Stamper {
	keys := []resolve.TagPattern{
		{Key: strings.Repeat("=", size), Untrusted: true},
		{Key: strings.Repeat("=", size-1) + "x*"},
		{Key: hostile(size) + "y"},
	}

	for i := range patterns {
		keys = append(keys,
			resolve.TagPattern{Key: "ours:remove-" + strconv.Itoa(i), Untrusted: true},
			resolve.TagPattern{Key: "ours:remove-" + strconv.Itoa(i) + "-*", Value: new(strconv.Itoa(i)), Untrusted: true},
			resolve.TagPattern{Key: "=" + strings.Repeat("=", i%100), Untrusted: true})
	}

	s := mapStamper(label("a", "1"), trusted(label("reserved-a", "2")))
	s.NewLocator, s.RemoveTags, s.IgnoreTags = everywhere(stringsOf("=")), keys, keys

	return s
}

// TestReadScales tests that entries of lists take time linear in their length: quadratic
// time would be minutes.
func TestReadScales(t *testing.T) {
	list := `{"tags": ["` + hostile(2_000_000) + `", "` + strings.Repeat("=", 2_000_000) + `"]}`

	s := listStamper(1000, 2_000_000)
	s.Observed = map[string]*fnv1.Resource{"r": {Resource: observed(list, list)}}

	s.Audits = true

	start := time.Now()

	_, err := stampAll(s, map[string]*fnv1.Resource{"r": {Resource: thing(list)}})
	if err != nil {
		t.Fatal(err)
	}

	if took := time.Since(start); took > 30*time.Second {
		t.Errorf("want strings of two million separators read in seconds, got %s", took)
	}
}

// BenchmarkScale stamps lists of long strings, with many patterns, and many labels. The time
// per byte and per item hardly depends on how many there are.
func BenchmarkScale(b *testing.B) {
	run := func(name string, items int, unit string, newStamper func() *Stamper, desired map[string]*fnv1.Resource) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()

			for range b.N {
				if _, err := stampAll(newStamper(), desired); err != nil {
					b.Fatal(err)
				}
			}

			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*items), unit)
		})
	}

	for _, size := range []int{1_000, 10_000, 100_000} {
		list := thing(`{"tags": ["` + hostile(size) + `", "` + strings.Repeat("=", size) + `"]}`)
		run(fmt.Sprintf("entry=%dB", size), 2*size, "ns/byte", func() *Stamper { return listStamper(10, size) }, map[string]*fnv1.Resource{"r": {Resource: list}})
	}

	for _, n := range []int{10, 100, 1_000, 10_000} {
		run(fmt.Sprintf("patterns=%d", n), n, "ns/pattern", func() *Stamper { return listStamper(n, 10) }, manyLists(100))
	}

	for _, n := range []int{10, 100, 1_000, 10_000} {
		run(fmt.Sprintf("labels=%d", n), n, "ns/label", func() *Stamper { return mapStamper(manyLabels(n)...) }, manyThings(1))
	}

	for _, n := range []int{10, 100, 1_000, 2_000} {
		run(fmt.Sprintf("labels=10000/resources=%d", n), n+10_000, "ns/item", func() *Stamper { return mapStamper(manyLabels(10_000)...) }, manyThings(n))
	}
}

// manyLists returns so many resources with a list of strings as their tags.
func manyLists(n int) map[string]*fnv1.Resource {
	out := make(map[string]*fnv1.Resource, n)

	var r *structpb.Struct
	for i := range n {
		r = thing(`{"tags": ["ours:remove-1=x", "ours:remove-2-x=2", "y"]}`)
		out[fmt.Sprintf("resource-%05d", i)] = &fnv1.Resource{Resource: r}
	}

	return out
}
