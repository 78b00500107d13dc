package progress

import (
	"cmp"

	"example.com/rollcall/harness/verdict/phrase"
)

// Brief returns why a scenario ended as it did, in one printable line; a short one if it passed.
func (e Ended) Brief() string {
	if e.Outcome == "pass" {
		return phrase.Headline(e.Headline, e.Because)
	}
	return phrase.Printable(cmp.Or(e.Headline, e.Because))
}

// A teller tells of each scenario that ended once.
type teller struct{ told int }

// news calls tell for each scenario that has ended since the last call, once for a group of [Alike].
func (t *teller) news(s Status, tell func(e Ended, alike int)) {
	for _, alike := range Alike(s.Ended[min(t.told, len(s.Ended)):]) {
		tell(alike[0], len(alike))
	}
	t.told = len(s.Ended)
}

// Alike groups scenarios in a row that were skipped in one mode for one reason; every other scenario is a group of its own.
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
