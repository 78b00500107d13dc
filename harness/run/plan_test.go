package run

import (
	"strings"
	"testing"

	"example.com/rollcall/harness/usage"
)

func TestParseCount(t *testing.T) {
	for _, row := range []struct {
		sentence, asked string
		want            int
		refused         bool
	}{
		{"an empty option is the default", "", 1, false},
		{"the fewest", "1", 1, false},
		{"the most", "16", 16, false},
		{"fewer than one", "0", 0, true},
		{"a negative number", "-1", 0, true},
		{"more than the most", "17", 0, true},
		{"a word", "two", 0, true},
		{"a number with a space", "2 ", 0, true},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			got, err := parseCount("jobs", row.asked, 1, 1, 16)
			if got != row.want || usage.Is(err) != row.refused {
				t.Errorf("%d, %v; want %d, refused %v", got, err, row.want, row.refused)
			}
			if err != nil && (strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), row.asked)) {
				t.Errorf("the refusal is not one line that names what was asked: %q", err)
			}
		})
	}
}
