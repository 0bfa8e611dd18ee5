package budget_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plexsphere/function-cloud-tags/tags/budget"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// A charge is one part of a run.
type charge func(b *budget.Budget) error

func response(bytes int) charge {
	return func(b *budget.Budget) error { return b.ChargeResponse(bytes) }
}

func labels(count int) charge {
	return func(b *budget.Budget) error { return b.ChargeLabels(count) }
}

func expressions(cost int) charge {
	return func(b *budget.Budget) error { return b.ChargeExpressions(cost) }
}

// TestCharge is about the first charge that is too much. All other charges before it have no error.
func TestCharge(t *testing.T) {
	const (
		tooLong = "would add too much to the response: a run adds at most "
		advice  = " bytes, since Crossplane takes no larger response: include fewer labels, " +
			"select fewer keys, resources or items, or let nested composite resources compose a part of them"
	)

	cases := map[string]struct {
		reason  string
		budget  *budget.Budget
		charges []charge
		want    string
	}{
		"ResponseFits":    {"The last byte still has room.", budget.New(budget.MaxResponse), []charge{response(budget.MaxResponse - 1), response(1)}, ""},
		"ResponseTooLong": {"One byte more ends the run.", budget.New(budget.MaxResponse), []charge{response(budget.MaxResponse), response(1)}, tooLong + "4,194,304" + advice},
		"ResponseShrinks": {"A resource that becomes shorter gives its bytes back.", budget.New(budget.MaxResponse), []charge{response(budget.MaxResponse), response(-1), response(1)}, ""},
		"RoomFits":        {"What is desired already leaves this room.", budget.New(10), []charge{response(10)}, ""},
		"RoomTooLong":     {"The message has the room of this run.", budget.New(10), []charge{response(11)}, tooLong + "10" + advice},
		"RoomOfOthers":    {"A larger response than Crossplane takes is no use, however much room there is.", budget.New(2 * budget.MaxResponse), []charge{response(budget.MaxResponse + 1)}, tooLong + "4,194,304" + advice},
		"LabelsFit":       {"Labels have a limit of their own.", budget.New(budget.MaxResponse), []charge{response(budget.MaxResponse), labels(budget.MaxLabels)}, ""},
		"LabelsExceed": {
			"The labels of all fields add up.", budget.New(budget.MaxResponse),
			[]charge{labels(1), labels(budget.MaxLabels)},
			"would be too much to decide: all tag fields of a run have at most 2,600,000 labels together: include fewer labels, " +
				"select fewer resources, or let nested composite resources compose a part of them",
		},
		"ExpressionsFit": {"Expressions have a limit of their own.", budget.New(budget.MaxResponse), []charge{response(budget.MaxResponse), expressions(budget.MaxExpressions)}, ""},
		"ExpressionsExceed": {
			"The costs of all evaluations add up.", budget.New(budget.MaxResponse),
			[]charge{expressions(budget.MaxExpressions), expressions(1)},
			"the expressions of a call cost too much together: they end after 20,000,000 steps",
		},
		"Nil": {"A nil Budget has no limits.", nil, []charge{response(budget.MaxResponse + 1), labels(budget.MaxLabels + 1), expressions(budget.MaxExpressions + 1)}, ""},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for i, charge := range tc.charges {
				want := ""
				if i == len(tc.charges)-1 {
					want = tc.want
				}

				if diff := cmp.Diff(want, tagstest.Error(charge(tc.budget))); diff != "" {
					t.Errorf("\n%s\ncharge %d: -want, +got:\n%s", tc.reason, i, diff)
				}
			}
		})
	}
}

// TestChargeLog is about a log that has room for a line and then for none.
func TestChargeLog(t *testing.T) {
	b := budget.New(budget.MaxResponse)

	got := []bool{b.ChargeLog(budget.MaxLog), b.ChargeLog(1), (*budget.Budget)(nil).ChargeLog(budget.MaxLog + 1)}
	if diff := cmp.Diff([]bool{true, false, true}, got); diff != "" {
		t.Errorf("\nA log should have room for MaxLog bytes, and a nil Budget for any.\nChargeLog(...): -want, +got:\n%s", diff)
	}
}
