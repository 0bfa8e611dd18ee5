package tests

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plexsphere/function-cloud-tags/example/internal/live"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// testAsk asks explain for composite resources and composed resources in the cluster, whose tags are missing for another cause each. The
// first line must name the cause.
func testAsk(c live.Test) {
	if _, err := exec.LookPath("kubectl"); err != nil {
		c.T.Skip("this machine has no kubectl, which reads clusters")
	}

	var cases []askedCase

	tagstest.ReadYAML(c.T, filepath.Join("testdata", "cases", "asked.yaml"), &cases)

	c.T.Run("cases", func(t *testing.T) { // It ends with the last of them.
		for _, tc := range cases {
			t.Run(tc.Name, func(t *testing.T) {
				t.Parallel()
				tc.ask(live.Test{Cluster: c.Cluster, T: t})
			})
		}
	})
}

// An askedCase is an XR whose tags are missing.
type askedCase struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`

	// Resources that are composed, as testdata/live/resources.yaml calls them, and how many of them. The input is the function's.
	Resources string `json:"resources"`
	Copies    int    `json:"copies"`
	Input     string `json:"input"`
	Labels    object `json:"labels"`

	// Later is the input of a later step, if there is one. Annotations come to the XR once it is composed, with other labels.
	Later       object            `json:"later"`
	Annotations map[string]string `json:"annotations"`
	Relabeled   object            `json:"relabeled"`

	// Resource is the composed resource that is asked about, or empty for the XR.
	Resource string `json:"resource"`

	// Want is what the first line says.
	Want string `json:"want"`
}

// ask makes the XR, and asks explain for it until it names the cause.
func (tc *askedCase) ask(c live.Test) {
	resources := []string{bases(tc.Resources)}
	for i := range tc.Copies {
		resources = append(resources, strings.ReplaceAll(bases(tc.Resources), "name: "+tc.Resources, fmt.Sprintf("name: %s-%d", tc.Resources, i)))
	}

	s := c.NewStack("ask-"+tc.Name, strings.Join(resources, ""), tc.Input)
	if tc.Later != nil {
		addStep(s, tc.Later)
	}

	s.Label(tc.Labels)

	if tc.Annotations != nil || tc.Resource != "" {
		s.Settled()
	}

	if tc.Annotations != nil {
		s.XR.SetAnnotations(tc.Annotations)
		s.Label(tc.Relabeled)
	}

	asked := []string{"stacks.platform.example.org", s.XR.GetName()}

	if tc.Resource != "" {
		r := s.Resource(tc.Resource)
		asked = []string{strings.ToLower(r.GetKind()) + "." + r.GroupVersionKind().Group, r.GetName()}
	}

	want := tc.Want
	if c.Release == live.V1 {
		want = strings.ReplaceAll(want, "default/", "") // Its composite resources are in no namespace.
	}

	kubeconfig, requests := c.Counted()
	args := append([]string{"explain", "--step=cloud-tags", "--kubeconfig=" + kubeconfig}, asked...)

	var (
		made       []string
		transcript string
	)

	live.Eventually(c.T, func() error {
		_ = requests() // Requests of earlier calls don't count.

		start := time.Now()
		out, err := exec.CommandContext(c.T.Context(), c.Function, args...).CombinedOutput()
		took := time.Since(start)
		made = requests()

		first, _, _ := strings.Cut(string(out), "\n")
		transcript = fmt.Sprintf("%s\n$ kubectl cloudtags explain %s\n%s\n%d requests in %s: %v", tc.Reason, strings.Join(asked, " "), out, len(made), took.Round(time.Millisecond), err)

		if !strings.Contains(first, want) {
			return fmt.Errorf("%s\nThe first line should say %q, but says %q", tc.Reason, want, first)
		}

		if took > mostTime {
			return errors.New("explain takes more than " + mostTime.String())
		}

		return nil
	})

	c.T.Log(transcript)

	// Some builds of kubectl ask for the release of the server first.
	made = slices.DeleteFunc(made, func(r string) bool { return strings.HasPrefix(r, "GET /version") })

	for _, r := range made {
		if !strings.HasPrefix(r, "GET ") {
			c.T.Errorf("explain should only read, but sends %s", r)
		}
	}

	// Two lists of kinds, an XR, its Composition, an object that a source requires, and each composed resource.
	if limit := 5 + 1 + tc.Copies; len(made) > limit {
		c.T.Errorf("explain should send at most %d requests, but sends %d: %v", limit, len(made), made)
	}
}

// mostTime is how long explain may take for an XR of 20 resources. A machine that is busy gets more attempts.
const mostTime = 2 * time.Second
