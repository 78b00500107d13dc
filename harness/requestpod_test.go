package harness

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestReadRequests(t *testing.T) {
	for _, row := range []struct {
		sentence, log string
		want          []Request
		fails         bool
	}{
		{"nothing was sent yet", "", nil, false},
		{"a request with a reply, and one without", "Q 1500000000 0 ok echo-1\nQ 1600000000 1 refused -\n",
			[]Request{{time.Unix(1, 5e8), Good}, {time.Unix(1, 6e8), Refused}}, false},
		{"a line that is not one of echo ask", "Q 1500000000 0 ok echo-1\npanic: oh\n", nil, true},
		{"a line that was cut off", "Q 1500000000 0\n", nil, true},
	} {
		got, err := readRequests(strings.NewReader(row.log))
		if diff := cmp.Diff(row.want, got); diff != "" || (err != nil) != row.fails {
			t.Errorf("%s: %v\n%s", row.sentence, err, diff)
		}
	}
}
