package progress

import (
	"cmp"

	"rollcall/harness/verdict/phrase"
)

// headline is why a scenario ended as it did, in one line that a terminal can be shown. What passed has a short one.
func (e Ended) headline() string {
	if e.Outcome == "pass" {
		return phrase.Headline(e.Headline, e.Because)
	}
	return phrase.Printable(cmp.Or(e.Headline, e.Because))
}

// alike is how many of the first that ended were skipped in one mode for one reason; at least one.
func alike(ended []Ended) int {
	n := 1
	for n < len(ended) && ended[n].Outcome == "skipped" && ended[0].Outcome == "skipped" && ended[n].Mode == ended[0].Mode &&
		ended[n].Because == ended[0].Because {
		n++
	}
	return n
}
