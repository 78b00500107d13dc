package usage

import (
	"strings"
	"testing"
)

func TestTopics(t *testing.T) {
	all := List{{Flag: "a"}, {Flag: "b", Topic: Kind}, {Flag: "c"}}
	for _, row := range []struct {
		sentence string
		got      List
		want     string
	}{
		{"options without a topic get one, others keep theirs", all.Under(Load), "a/Load and time b/" + string(Kind) + " c/Load and time"},
		{"some come first, in this order, without a topic", all.Under(Load).First("c", "b"), "c/ b/ a/Load and time"},
		{"one that is not there comes nowhere", all.First("d"), "a/ b/" + string(Kind) + " c/"},
		{"the list itself stays as it is", all, "a/ b/" + string(Kind) + " c/"},
	} {
		var got []string
		for _, o := range row.got {
			got = append(got, o.Flag+"/"+string(o.Topic))
		}
		if text := strings.Join(got, " "); text != row.want {
			t.Errorf("%s: %s, want %s", row.sentence, text, row.want)
		}
	}
}
