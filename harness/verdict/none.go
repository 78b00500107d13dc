package verdict

import (
	"cmp"

	"example.com/rollcall/harness/verdict/phrase"
)

// none asks that nothing of a kind is there. What is there was seen; that nothing is rests on nothing having been seen.
type none struct {
	rows func(asked) found // what is not to be there
	of   func(asked) int   // how many of it there could be; nil: nobody counts that
	noun string            // of what there could be, in the singular; empty: the unit of the rule
	did  string            // what is not to be, see fill
	all  string            // what all of it is instead; empty: that is said as "0 of"
}

func (q none) answer(a asked) Finding {
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
	if f.Outcome == Pass {
		return f.tell(append(wordings, share), facts...)
	}
	if len(rows.hits) > 0 {
		d := describeHits(rows.hits, rows.count, a.tl)
		if rows.of != nil {
			d = *rows.of
		}
		wordings = append(wordings, d.of(share)...)
		facts = append(d.facts, facts...)
	}
	return f.tell(append(wordings, share), facts...)
}
