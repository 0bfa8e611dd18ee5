package functions

import "testing"

// TestLastLines proves that a failed scenario prints the end of a long log.
func TestLastLines(t *testing.T) {
	for name, tc := range map[string]struct{ reason, text, want string }{
		"Short": {reason: "A short log is printed as a whole.", text: "a\nb\n", want: "a\nb"},
		"Long":  {reason: "Of a longer one, the last lines are printed.", text: "a\nb\nc\nd\n", want: "c\nd"},
		"Empty": {reason: "A function that has logged nothing has no lines.", text: "", want: ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := lastLines(tc.text, 2); got != tc.want {
				t.Errorf("\n%s\nlastLines(%q, 2): want %q, got %q", tc.reason, tc.text, tc.want, got)
			}
		})
	}
}
