package progress

import (
	"cmp"

	"example.com/rollcall/harness/verdict/phrase"
)

// headline is why a scenario ended as it did, in one line that a terminal can be shown. What passed has a short one.
func (e Ended) headline() string {
	if e.Outcome == "pass" {
		return phrase.Headline(e.Headline, e.Because)
	}
	return phrase.Printable(cmp.Or(e.Headline, e.Because))
}

// A teller tells of what has ended once.
type teller struct{ told int }

// news has each scenario told that ended since the status before: once for all that were skipped in a row in one mode for one reason.
func (t *teller) news(s Status, tell func(e Ended, alike int)) {
	for ended := s.Ended[min(t.told, len(s.Ended)):]; len(ended) > 0; {
		first, n := ended[0], 1
		for n < len(ended) && ended[n].Outcome == "skipped" && first.Outcome == "skipped" && ended[n].Mode == first.Mode &&
			ended[n].Because == first.Because {
			n++
		}
		tell(first, n)
		ended = ended[n:]
	}
	t.told = len(s.Ended)
}
