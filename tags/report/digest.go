package report

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"

	"github.com/plexsphere/function-cloud-tags/tags/stamp"
)

// The condition's message ends with a short digest of each step of this function, of its input and
// of all that it has to say. A step whose digest is in the condition that the composite resource has
// been given before has said it all: the specification of functions wants results on transitions,
// not on every call.

// digestSize is how many bytes of a hash a digest has.
const digestSize = 3

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
