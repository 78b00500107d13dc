package usage

import "testing"

func TestMeant(t *testing.T) {
	for _, row := range []struct {
		sentence, word string
		names          []string
		want           string
	}{
		{"a letter is missing", "profil", []string{"modes", "profile"}, "; did you mean profile?"},
		{"two letters are swapped", "rnu", []string{"run", "list"}, "; did you mean run?"},
		{"one is another", "suitez", []string{"suites"}, "; did you mean suites?"},
		{"one is too much", "modees", []string{"modes", "images"}, "; did you mean modes?"},
		{"the nearest of two that are near", "mode", []string{"model", "node-image", "code"}, "; did you mean model, code?"},
		{"a part of a name", "agent-lo", []string{"agent-late", "agent-lost"}, "; did you mean agent-lost?"},
		{"a small part of several", "rolling", []string{"drained-rolling-update", "pause", "undrained-rolling-update"},
			"; did you mean drained-rolling-update, undrained-rolling-update?"},
		{"no more than five", "step", []string{"a-step", "b-step", "c-step", "d-step", "e-step", "f-step"},
			"; did you mean a-step, b-step, c-step, d-step, e-step?"},
		{"a word of two letters is a part of too many", "an", []string{"drained-rolling-update", "any"}, "; did you mean any?"},
		{"dashes of a flag are not letters that agree", "--fast", []string{"--as"}, ""},
		{"nothing is near", "everything", []string{"modes", "profile"}, ""},
		{"half of a short word is not near", "cat", []string{"run", "dog"}, ""},
		{"there is nothing", "run", nil, ""},
		{"nothing was written", "", []string{"run"}, ""},
	} {
		if got := Meant(row.word, row.names...); got != row.want {
			t.Errorf("%s: %q, want %q", row.sentence, got, row.want)
		}
	}
}
