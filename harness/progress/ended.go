package progress

import (
	"cmp"
	"strings"
)

// headline is why a scenario ended as it did, in one line that a terminal can be shown.
func (e Ended) headline() string { return visible(cmp.Or(e.Headline, e.Because)) }

// alike is how many of the first that ended were skipped in one mode for one reason; at least one.
func alike(ended []Ended) int {
	n := 1
	for n < len(ended) && ended[n].Outcome == "skipped" && ended[0].Outcome == "skipped" && ended[n].Mode == ended[0].Mode &&
		ended[n].Because == ended[0].Because {
		n++
	}
	return n
}

// visible drops what a terminal might obey.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, text)
}
