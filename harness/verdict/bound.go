package verdict

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
)

// bound asks how long something lasted. Each of the rows has to keep the limits; the one that keeps them least is told. That it
// lasted too long was seen, where only that is asked, and likewise that it lasted long enough.
type bound struct {
	rows     func(asked) []lasting
	limits   func(evidence.Expectation) limits // of all rows
	says     []string                          // what lasted so long, in wordings of which the last is the shortest, see fill
	before   []string                          // the same of what came before, and so lasted less than no time; none: says
	open     []string                          // the same of what may have gone on after it was seen last; none: says
	measured string                            // what was measured, if it is not how long it lasted: "after SIGTERM by"
	nothing  string                            // that holds where no row is there; empty: then it was put to nothing
	// cut is why a failure shows nothing; empty: it does.
	cut func(asked, []lasting) string
}

// A lasting is something that took or lasted a time. What is not known of it is empty.
type lasting struct {
	timeline.Elapsed
	node, pod, lane string
	from            time.Duration
	open            bool          // it may have gone on after it was seen last
	toTheEnd        bool          // of the load
	within          time.Duration // by how much it may be wrong without being uncertain: what it is measured by comes once in that time
	whole           bool          // it rests on what was not seen too
	hits            []timeline.Hit
	breaches        []Breach // if it is too long, or too short: who can have caused that by getting no processor; empty: nobody can
	facts           []Detail
}

// limits are the least and the most of a duration.
type limits struct{ least, most time.Duration }

const unlimited = time.Duration(math.MaxInt64)

func atMost(x evidence.Expectation) limits  { return limits{-unlimited, x.Max} }
func minimum(x evidence.Expectation) limits { return limits{x.Min, unlimited} }
func ranging(x evidence.Expectation) limits { return limits{x.Min, x.Max} }

// upTo is for a bound that the rule itself has: 0 is not after another thing, -1 before it.
func upTo(most time.Duration) func(evidence.Expectation) limits {
	return func(evidence.Expectation) limits { return limits{-unlimited, most} }
}

func (l limits) String() string {
	switch {
	case l.least == -unlimited && l.most <= 0:
		return ""
	case l.least == -unlimited:
		return fmt.Sprintf(", %s allowed", phrase.Duration(l.most))
	case l.most == unlimited:
		return fmt.Sprintf(", at least %s expected", phrase.Duration(l.least))
	default:
		return fmt.Sprintf(", expected %s to %s", phrase.Duration(l.least), phrase.Duration(l.most))
	}
}

// keeps is whether a row keeps the limits; inconclusive when the clocks cannot tell.
func (l limits) keeps(row lasting) Outcome {
	if 0 < l.beyond(row) && l.beyond(row) <= row.within {
		return Pass
	}
	kept := inside(row.Elapsed, l.least, l.most)
	if row.open && kept == Pass {
		return Inconclusive
	}
	return kept
}

// beyond is by how much a row is, or nearly is, outside of the limits.
func (l limits) beyond(row lasting) time.Duration {
	over, under := time.Duration(math.MinInt64), time.Duration(math.MinInt64)
	if l.most != unlimited {
		over = row.Length - l.most
	}
	if l.least != -unlimited {
		under = l.least - row.Length
	}
	return max(over, under)
}

// worst is the row, of at least one, that decides whether all keep the limits.
func (l limits) worst(rows []lasting) (worst lasting, outcome Outcome, breaches []Breach) {
	return worstOf(rows, func(row lasting) (Outcome, float64, []Breach) {
		return l.keeps(row), float64(l.beyond(row)), row.breaches
	})
}

func (q bound) answer(a asked) Finding {
	rows := q.rows(a)
	switch {
	case len(rows) == 0 && q.nothing == "":
		return Finding{}
	case len(rows) == 0:
		return Finding{Outcome: Pass, Grounds: Unseen}.tell([]string{q.nothing})
	}
	within := q.limits(a.Expectation)
	worst, outcome, breaches := within.worst(rows)
	f := Finding{Outcome: outcome, Grounds: within.grounds(outcome), Breaches: breaches}
	if worst.whole {
		f.Grounds = Whole
	}
	if outcome == Fail || outcome == Inconclusive {
		f.Witnesses = witnesses(worst.hits)
	}
	var wordings []string
	for _, text := range q.words(worst) {
		wordings = append(wordings, worst.fill(a, text)+within.String())
	}
	facts := slices.Concat(worst.facts, []Detail{{"node", worst.node}, {"pod", worst.pod}, {"lane", worst.lane},
		{cmp.Or(q.measured, "lasted"), phrase.Elapsed(worst.Elapsed)}})
	if len(worst.hits) > 0 {
		facts = append(facts, Detail{"by kind", kinds(worst.hits)}, Detail{"requests", seqs(worst.hits, len(worst.hits))})
	}
	if len(rows) > 1 {
		facts = append(facts, Detail{"worst of", fmt.Sprint(len(rows))})
	}
	if outcome == Fail && q.cut != nil {
		if why := q.cut(a, rows); why != "" {
			return Finding{}.tell([]string{why}, facts...)
		}
	}
	return orUncertain(f, wordings, facts...)
}

// grounds are what a finding rests on: that something lasted too long, or long enough, was seen; that it did not, was not.
func (l limits) grounds(outcome Outcome) Grounds {
	long, short := Fail, Pass
	switch {
	case l.most == unlimited:
		long, short = Pass, Fail
	case l.least != -unlimited:
		return Whole
	}
	switch outcome {
	case long:
		return Seen
	case short:
		return Unseen
	default:
		return Whole
	}
}

// words are what is said of a row.
func (q bound) words(row lasting) []string {
	switch {
	case row.open && len(q.open) > 0:
		return q.open
	case row.Length < 0 && len(q.before) > 0:
		return q.before
	default:
		return q.says
	}
}

// fill also puts in what is known of the row.
func (l lasting) fill(a asked, text string) string {
	until := ""
	if l.toTheEnd {
		until = " until the load ended"
	}
	return a.fill(text, "{node}", l.node, "{pod}", l.pod, "{lane}", l.lane, "{failed}", phrase.Count(len(l.hits), "request"),
		"{at}", phrase.Seconds(l.from), "{length}", phrase.Duration(l.Length), "{-length}", phrase.Duration(-l.Length),
		"{since}", since(l.Length), "{-since}", since(-l.Length), "{within}", phrase.Duration(l.within), "{until}", until)
}

// since is how something is placed that came a time after something else, or before it.
func since(length time.Duration) string {
	if length < 0 {
		return phrase.Duration(-length) + " before"
	}
	return phrase.Duration(length) + " after"
}
