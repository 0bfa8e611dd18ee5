// Package rights proves the table in .github/RIGHTS.md: people decide only about their own things. It is handed the function to call.
//
// What is proven is non-interference: other text of the same person changes nothing that the person has no right to.
package rights

import (
	"fmt"
	"slices"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"pgregory.net/rapid"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags/command"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest/calls"
)

// Check draws a world, replaces the text of one person by other text of the same person, and compares what the function does in both.
func Check(t *rapid.T, function calls.Function) {
	w := drawWorld(t)
	p := rapid.SampledFrom(people).Draw(t, "person")
	other := w.with(t, p)

	if wrong, diff := w.interference(p, w.settle(t, function), other.settle(t, function)); wrong != "" {
		t.Fatalf("%s %s: -before, +after:\n%s\nThe text, -before, +after:\n%s\nThe input: %v", p, wrong, diff, cmp.Diff(w.texts[p], other.texts[p]), w.input)
	}
}

// interference returns the wrong that the person does by writing other text, and the difference between the responses before and after. It
// returns nothing if the person has the right to the difference.
func (w *world) interference(p person, before, after *fnv1.RunFunctionResponse) (wrong, diff string) {
	failed, fails := command.Fatal(before), command.Fatal(after)

	switch {
	case failed != nil && fails != nil, (failed != nil || fails != nil) && w.mayFail(p):
		return "", ""
	case failed != nil || fails != nil:
		return "fails the run", fmt.Sprintf("%v, %v", failed, fails)
	}

	if p == editor || p == tagger {
		if diff := cmp.Diff(w.decided(before), w.decided(after)); diff != "" {
			return "decides about labels, classes or metadata", diff
		}
	}

	if p == tagger && len(rulesOf(w.input).classifiers) > 0 {
		return "", "" // A tagger selects resources by matchCloudTags.
	}

	was, now := w.project(p, before), w.project(p, after)

	if diff := cmp.Diff(was, now, cmpopts.IgnoreUnexported(projection{})); diff != "" {
		return "changes what only the platform decides", diff
	}

	if lost := slices.Concat(was.lost(now), now.lost(was)); len(lost) > 0 {
		return "takes away tags of trusted labels", fmt.Sprint(lost)
	}

	if p == stranger && !w.believesStranger() {
		if diff := cmp.Diff(withoutWords(before), withoutWords(after), protocmp.Transform()); diff != "" {
			return "is believed", diff
		}
	}

	return "", ""
}

// withoutWords returns the response without its results, and without what depends on them.
func withoutWords(rsp *fnv1.RunFunctionResponse) *fnv1.RunFunctionResponse {
	rsp = proto.CloneOf(rsp)
	rsp.Results = nil
	delete(rsp.GetContext().GetFields(), "cloudtags.fn.plexsphere.com/steps")

	for _, c := range rsp.GetConditions() {
		c.Message = nil
	}

	return rsp
}

// mayFail reports whether the person has the right to fail the run.
func (w *world) mayFail(p person) bool {
	switch p {
	case author, neighbor, editor:
		return true
	case stranger:
		return w.believesStranger()
	case tagger: // Only where the author of the Composition ties runs to the cloud.
		return len(rulesOf(w.input).classifiers) > 0 || w.input["limitPolicy"] == "ApplyStrict" || union(w.input["tagPolicy"])["enforcement"] == "Error" || w.hasSource("onConflict", "Error")
	}

	return false
}

// believesStranger reports whether a source says that it believes the namespace of strangers.
func (w *world) believesStranger() bool { return w.hasSource("name", "theirs") }

// hasSource reports whether a source has the option.
func (w *world) hasSource(option, value string) bool {
	return slices.ContainsFunc(list(w.input["sources"]), func(source any) bool { return union(source)[option] == value })
}
