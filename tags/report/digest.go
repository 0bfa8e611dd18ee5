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
	"github.com/plexsphere/function-cloud-tags/tags/words"
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

// digest of the step's input, the verdict and outcome, and all else that there is to say,
// whether there is room for it in results or not.
func (r *Run) digest(v verdict, o *sorted) string {
	d := newDigester()
	d.add(idOf(r.Request), v.reason, v.message, len(o.Skips), len(o.CloudRefuses),
		o.NotCopied, o.Violations, o.Unmatched, words.Map(o.statusLacks, error.Error), r.empty(), r.Set.Valueless(), r.unprofiledNames(o))

	for _, of := range [][]stamp.Skip{o.Skips, o.CloudRefuses} {
		for i := range of {
			d.add(&of[i])
		}
	}

	said := &stamp.Result{}

	for i := range o.Results {
		if o.Results[i].HasNews() {
			*said = o.Results[i]
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
