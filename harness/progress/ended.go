package progress

import (
	"cmp"

	"example.com/rollcall/harness/verdict/phrase"
)

// Brief is why a scenario ended as it did, in one line that a terminal can be shown. What passed has a short one.
func (e Ended) Brief() string {
	if e.Outcome == "pass" {
		return phrase.Headline(e.Headline, e.Because)
	}
	return phrase.Printable(cmp.Or(e.Headline, e.Because))
}

// A teller tells of what has ended once.
type teller struct{ told int }

// news has each scenario told that ended since the status before.
func (t *teller) news(s Status, tell func(e Ended, alike int)) {
	for _, alike := range Alike(s.Ended[min(t.told, len(s.Ended)):]) {
		tell(alike[0], len(alike))
	}
	t.told = len(s.Ended)
}

// Alike puts together what was skipped in a row in one mode for one reason; every other scenario is by itself.
func Alike(ended []Ended) (groups [][]Ended) {
	for len(ended) > 0 {
		first, n := ended[0], 1
		for n < len(ended) && ended[n].Outcome == "skipped" && first.Outcome == "skipped" && ended[n].Mode == first.Mode &&
			ended[n].Because == first.Because {
			n++
		}
		groups, ended = append(groups, ended[:n]), ended[n:]
	}
	return groups
}
