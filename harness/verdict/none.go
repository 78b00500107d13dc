package verdict

import (
	"cmp"

	"example.com/rollcall/harness/verdict/phrase"
)

// none is the question whether nothing of a kind is there. A failure was seen; a pass rests on nothing having been seen.
type none struct {
	rows func(args) found // what must not be there
	of   func(args) int   // of how many; nil: not counted
	noun string           // of what is counted, in the singular; empty: the unit of the rule
	did  string           // what they must not have done, such as "failed", see fill
	all  string           // what all of them did in a pass; empty: a pass says "0 of"
}

func (q none) answer(a args) Finding {
	rows := q.rows(a)
	if rows.count == 0 && rows.unclear != "" {
		return undecided(rows.unclear)
	}
	share := rows.share(a, q.of, q.noun, q.did)
	if rows.count == 0 && q.all != "" {
		n, of := q.of(a), "the only "+cmp.Or(q.noun, a.unit)
		if n > 1 {
			of = "all " + phrase.Count(n, cmp.Or(q.noun, a.unit))
		}
		share = of + " " + a.fillOf(n, q.all)
	}
	wordings, facts := rows.wordings, append(rows.facts, a.from()...)
	f := Finding{Outcome: Pass, Grounds: Unseen}
	if rows.count > 0 {
		f = Finding{Outcome: Fail, Grounds: Seen, Witnesses: witnesses(rows.hits), Breaches: rows.breaches}
	}
	if rows.whole {
		f.Grounds = Whole
	}
	if rows.count > 0 && rows.usual != "" {
		f.Outcome, f.Grounds = Inconclusive, Whole
		for i, said := range rows.wordings {
			rows.wordings[i] = said + "; " + rows.usual
		}
		wordings, share = rows.wordings, share+"; "+rows.usual
	}
	if f.Outcome == Pass {
		return f.withTexts(append(wordings, share), facts...)
	}
	if len(rows.hits) > 0 {
		d := describeHits(rows.hits, rows.count, a.tl)
		if rows.of != nil {
			d = *rows.of
		}
		wordings = append(wordings, d.of(share)...)
		facts = append(d.facts, facts...)
	}
	return f.withTexts(append(wordings, share), facts...)
}
