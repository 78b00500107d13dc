package verdict

import (
	"fmt"
	"maps"
	"slices"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
)

// some asks that enough of a kind is there. Enough was seen; that too little is there rests on nothing more having been seen. A
// precondition that is not met decides nothing: no loss is no failure of the cluster, but a harness that may be blind.
type some struct {
	rows func(asked) found // what is to be there
	of   func(asked) int   // of how many; nil: nobody counts that
	noun string            // of what there could be, in the singular
	did  string            // what they did, see fill
	// least is how many of them are expected; nil: one.
	least func(evidence.Expectation) int
	// byConn says that lanes with each kind of connection have to have one: an app that exits breaks kept connections whatever the
	// rules do, so that they do not speak for new ones.
	byConn bool
	// unclear is how many more there may be.
	unclear func(asked) int
	// fails says that too few are a failure, unlike those of a precondition.
	fails bool
}

func (q some) answer(a asked) Finding {
	least := 1
	if q.least != nil {
		least = q.least(a.Expectation)
	}
	rows, fails := q.rows(a), q.fails || a.Certain
	switch {
	case least < 1:
		return undecided(fmt.Sprintf("the rule takes at least 1, got %d", least))
	case rows.count == 0 && q.of != nil && q.of(a) == 0:
		return Finding{} // nothing that could have been one of them
	}
	share, few := rows.share(a, q.of, q.noun, q.did), "too few: "
	if q.of != nil {
		few = "proves nothing: "
	}
	expected := ""
	if least > 1 || fails {
		expected = fmt.Sprintf(", at least %s expected", phrase.Number(least))
	}
	f := Finding{Outcome: Pass, Grounds: Seen, Witnesses: witnesses(rows.hits)}
	facts := append(a.from(), rows.facts...)
	if len(rows.hits) > 0 {
		facts = append([]Detail{{"by kind", kinds(rows.hits)}}, facts...)
	}
	if conn := q.without(a, rows); conn != "" && rows.count > 0 {
		return Finding{}.tell([]string{fmt.Sprintf("proves nothing: 0 over %s connections; %s", conn, share),
			"proves nothing: 0 over " + string(conn) + " connections"}, facts...)
	}
	switch {
	case rows.count >= least && len(rows.hits) > 0 && !fails:
		f = f.tell([]string{share + ", as expected", share}, facts...)
	case rows.count >= least:
		f = f.tell([]string{share + expected, share}, facts...)
	case q.unclear != nil && rows.count+q.unclear(a) >= least:
		return orUncertain(Finding{}, []string{share + expected, share}, facts...)
	case fails:
		f.Outcome, f.Grounds, f.Witnesses = Fail, Unseen, nil
		f = f.tell([]string{share + expected, share}, facts...)
	default:
		return Finding{}.tell([]string{few + share + expected, few + share}, facts...)
	}
	if rows.whole {
		f.Grounds = Whole
	}
	return f
}

// without is a kind of connection that none of the rows is of, though each is to have one; empty if there is none.
func (q some) without(a asked, rows found) (conn evidence.Conn) {
	if !q.byConn {
		return ""
	}
	seen := map[evidence.Conn]int{}
	for _, lane := range a.lanes {
		seen[lane.Conn] += 0
		for _, h := range rows.hits {
			if h.Lane == lane.ID {
				seen[lane.Conn]++
			}
		}
	}
	for _, conn := range slices.Sorted(maps.Keys(seen)) {
		if seen[conn] == 0 {
			return conn
		}
	}
	return ""
}

// lost are failed hits of some kind, and how many failed otherwise. That no pod could answer, or which pod a request was led to, may
// rest on what was not seen.
func lost(whole bool, is func(asked) func(timeline.Lane, timeline.Hit) bool) func(asked) found {
	return func(a asked) found {
		f := foundHits(a.failed(is(a)))
		others := a.sum(timeline.LaneSummary.Failed) - f.count
		f.whole, f.facts = whole, []Detail{{"pod phase", podPhases(f.hits, a.tl)}, {"failed otherwise", fmt.Sprint(others)}}
		return f
	}
}
