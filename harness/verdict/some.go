package verdict

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
)

// some is the question whether enough of a kind is there. A pass was seen; too little rests on nothing more having been seen. A
// precondition that is not met decides nothing: without a loss the cluster has not failed, but the harness may be blind.
type some struct {
	rows func(args) found // what has to be there
	of   func(args) int   // of how many; nil: not counted
	noun string           // of what is counted, in the singular; empty: the unit of the rule
	did  string           // what they did, such as "failed", see fill
	// least returns how many are expected; nil: one.
	least func(Expectation) int
	// byConn says that there has to be one for each kind of connection: an app that exits breaks kept connections whatever the
	// rules do, so that they show nothing about new ones.
	byConn bool
	// unclear counts how many more there may be.
	unclear func(args) int
	// fails says that too few are a failure, unlike for a precondition.
	fails bool
}

func (q some) answer(a args) Finding {
	least := 1
	if q.least != nil {
		least = q.least(a.Expectation)
	}
	rows, fails := q.rows(a), q.fails || a.Certain
	switch {
	case least < 1:
		return undecided(fmt.Sprintf("the rule takes at least 1, got %d", least))
	case rows.count == 0 && q.of != nil && q.of(a) == 0:
		return Finding{} // there is nothing that could have been one of them
	}
	share, few := rows.share(a, q.of, q.noun, q.did), "too few: "
	if q.of != nil {
		few = "proves nothing: "
	}
	expected := ""
	if least > 1 || fails {
		expected = fmt.Sprintf(", at least %s expected", phrase.Number(least))
	}
	facts := append(a.from(), rows.facts...)
	if len(rows.hits) > 0 {
		facts = append([]Detail{{"by kind", kinds(rows.hits)}, {"pod phase", podPhases(rows.hits, a.tl)}}, facts...)
	}
	if q.byConn {
		facts = append(facts, Detail{"by lane", a.byLane(rows.hits)})
	}
	f := Finding{Outcome: Pass, Grounds: Seen, Witnesses: witnesses(rows.hits)}
	enough := rows.count >= least
	switch conn := q.without(a, rows); {
	case conn != "" && rows.count > 0:
		return Finding{}.withTexts([]string{fmt.Sprintf("proves nothing: 0 over %s connections; %s", conn, share),
			"proves nothing: 0 over " + string(conn) + " connections"}, facts...)
	case enough && len(rows.hits) > 0 && !fails:
		expected = ", as expected"
	case !enough && q.unclear != nil && rows.count+q.unclear(a) >= least:
		return orUncertain(Finding{}, []string{share + expected, share}, facts...)
	case !enough && !fails:
		return Finding{}.withTexts([]string{few + share + expected, few + share}, facts...)
	case !enough:
		f = Finding{Outcome: Fail, Grounds: Unseen}
	}
	if rows.whole {
		f.Grounds = Whole
	}
	return f.withTexts([]string{share + expected, share}, facts...)
}

// without returns a kind of connection for which there is none, if byConn wants one for each; else "".
func (q some) without(a args, rows found) evidence.Conn {
	of, by := map[evidence.Conn]int{}, counts(rows.hits, func(h timeline.Hit) string { return h.Lane })
	for _, lane := range a.lanes {
		of[lane.Conn] += by[lane.ID]
	}
	for _, conn := range slices.Sorted(maps.Keys(of)) {
		if q.byConn && of[conn] == 0 {
			return conn
		}
	}
	return ""
}

func (a args) byLane(hits []timeline.Hit) string {
	by := counts(hits, func(h timeline.Hit) string { return h.Lane })
	var each []string
	for _, lane := range a.lanes {
		each = append(each, fmt.Sprintf("%d on %s", by[lane.ID], lane.ID))
	}
	return strings.Join(each, ", ")
}
