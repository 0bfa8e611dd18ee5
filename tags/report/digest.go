package report

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"
	"regexp"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
)

// The condition's message ends with a short digest of each step of this function, of its input and
// of all that it has to say. A step whose digest is in the condition that the composite resource has
// been given before has said it all: the specification of functions wants results on transitions,
// not on every call.

// digestSize is how many bytes of a hash a digest has.
const digestSize = 3

// told is what the condition's message ends with.
var told = regexp.MustCompile(` \[([0-9a-f]{6}(?: [0-9a-f]{6})*)\]$`)

// A digester makes a digest of facts. All facts can be encoded, and a hash takes all.
type digester struct {
	hash  hash.Hash
	facts *json.Encoder
}

func newDigester() *digester {
	h := sha256.New()
	return &digester{hash: h, facts: json.NewEncoder(h)}
}

func (d *digester) add(facts ...any) {
	for _, f := range facts {
		_ = d.facts.Encode(f) //nolint:errchkjson // See above.
	}
}

func (d *digester) digest() string { return hex.EncodeToString(d.hash.Sum(nil)[:digestSize]) }

// digestOf the input of the step with the id, the verdict and the findings, whether there is room for them in results
// or not.
func digestOf(id string, v verdict, f *findings) string {
	d := newDigester()
	d.add(id, v.reason, v.message, len(f.Skips), len(f.CloudRefuses),
		f.NotCopied, f.Violations, f.Unmatched, f.statusLacks, f.empty, f.valueless, f.unprofiled)

	for _, of := range [][]stamp.Skip{f.Skips, f.CloudRefuses} {
		for i := range of {
			d.add(&of[i])
		}
	}

	said := &stamp.Result{}

	for i := range f.Results {
		if f.Results[i].HasNews() {
			*said = f.Results[i]
			said.Active, said.Trusted = nil, nil // They are what the resource has.
			d.add(said)
		}
	}

	return d.digest()
}

// Digests returns the digests in the condition of xr, the observed composite resource: what steps
// with one of these have to say has been said.
func Digests(xr object.Object) []string {
	for c := range xr.Node().Field("status").Field("conditions").Items() {
		if c.Field("type").Text() == ConditionType {
			return digestsIn(c.Field("message").Text())
		}
	}

	return nil
}

// digestsIn the message of a condition.
func digestsIn(message string) []string {
	of := told.FindStringSubmatch(message)
	if of == nil {
		return nil
	}

	return strings.Fields(of[1])
}
