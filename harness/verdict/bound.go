package verdict

import (
	"cmp"
	"math"
	"strings"
	"time"

	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
)

// bound is the question whether an amount keeps limits: how long something lasted, how large a share it is, how many there were at the
// worst moment. Every row has to keep them; the finding names the worst one. That something lasted too long, or long enough, was seen if
// there is one limit; a share and a number rest on the whole recording.
type bound struct {
	in       unit
	rows     func(args) []row
	limits   func(Expectation, row) limits // of a row
	says     string                        // the sentence about a row, see fill
	before   string                        // the sentence for a negative duration; empty: says
	open     string                        // the sentence for what may have lasted longer than it was seen; empty: says
	measured string                        // the name of the duration in the facts, such as "after SIGTERM by"; empty: "lasted"
	nothing  string                        // the sentence of a pass without rows; empty: without rows the rule was not tested
	untested bool                          // a failure is inconclusive: the recording shows too little
	// showsNothing returns why a failure shows nothing; empty: it does show something.
	showsNothing func(a args, worst row, all []row) string
}

// A row is one thing that a bound measures. What is not known about it is empty.
type row struct {
	amount
	node, pod, lane string
	from            time.Duration
	toTheEnd        bool    // it lasted to the end of the load
	whole           bool    // it also rests on what was not seen
	expected        float64 // the expected share, where the recording decides it
	predicted       limits  // the limits, likewise
	unseen          string  // why it may be more, and how much: something was not seen
	lack            string  // why it has no amount
	broken          string  // the sentence of a failure without an amount, instead of what the bound says
	hits            []timeline.Hit
	breaches        []Breach // who can have caused a failure by getting no processor; empty: nobody
	facts           []Detail
}

// eachLane returns a function that makes a row for each lane.
func eachLane(of func(a args, lane timeline.Lane) row) func(args) []row {
	return func(a args) (rows []row) {
		for _, lane := range a.lanes {
			r := of(a, lane)
			r.lane = lane.ID
			rows = append(rows, r)
		}
		return rows
	}
}

func (q bound) answer(a args) Finding {
	rows := q.rows(a)
	switch {
	case len(rows) == 0 && q.nothing == "":
		return Finding{}
	case len(rows) == 0:
		return Finding{Outcome: Pass, Grounds: Unseen}.withTexts([]string{q.nothing})
	}
	worst, outcome, breaches := q.worst(a, rows)
	switch {
	case worst.lack != "":
		return undecided(worst.lack)
	case worst.broken != "":
		return Finding{Outcome: Fail, Breaches: worst.breaches, Witnesses: witnesses(worst.hits)}.withTexts([]string{worst.broken},
			worst.details(a)...)
	}
	allowed := q.limits(a.Expectation, worst)
	f := Finding{Outcome: outcome, Breaches: breaches}
	if !worst.whole && (q.in == inTime || q.in == inShares && worst.value == 0 && allowed.least == -unlimited) {
		f.Grounds = allowed.grounds(outcome)
	}
	if outcome == Fail || outcome == Inconclusive {
		f.Witnesses = witnesses(worst.hits)
	}
	text, facts := q.sentence(worst)+allowed.say(q.in), worst.details(a)
	wordings := worst.wordings(a, text)
	if q.in == inTime {
		facts = append(facts, Detail{cmp.Or(q.measured, "lasted"), phrase.Elapsed(worst.elapsed())})
	}
	if len(rows) > 1 {
		facts = append(facts, Detail{"worst of", phrase.Number(len(rows))})
	}
	if worst.unseen != "" && outcome == Inconclusive {
		brief := "{lane}: " + q.in.say(worst.value) + allowed.say(q.in)
		return f.withTexts(append(worst.wordings(a, text+"; "+worst.unseen), worst.fill(a, brief+"; "+worst.unseen)), facts...)
	}
	facts = append(facts, Detail{"not seen", worst.unseen})
	if outcome == Fail && q.showsNothing != nil {
		if why := q.showsNothing(a, worst, rows); why != "" {
			return Finding{}.withTexts([]string{why}, facts...)
		}
	}
	if outcome == Fail && q.untested {
		return Finding{}.withTexts(wordings, facts...)
	}
	return orUncertain(f, wordings, facts...)
}

// worst returns the row that decides the outcome, of at least one, and the outcome: of the rows with the worst outcome, it is the one
// furthest beyond the limits. The breaches are those of all rows that fail; none if one of these has none, since no wait can have caused
// that failure.
func (q bound) worst(a args, rows []row) (worst row, outcome Outcome, breaches []Breach) {
	most, excusable := 0.0, true
	for i, r := range rows {
		allowed := q.limits(a.Expectation, r)
		kept, beyond := allowed.keeps(r.amount), allowed.beyond(r.amount)
		if r.lack != "" {
			kept = Inconclusive
		}
		if i == 0 || worse(kept, outcome) || kept == outcome && beyond > most {
			worst, outcome, most = r, kept, beyond
		}
		if kept == Fail {
			breaches, excusable = append(breaches, r.breaches...), excusable && len(r.breaches) > 0
		}
	}
	if !excusable {
		breaches = nil
	}
	return worst, outcome, breaches
}

func (q bound) sentence(r row) string {
	switch {
	case math.IsInf(r.more, 0) && q.open != "":
		return q.open
	case r.value < 0 && q.before != "":
		return q.before
	default:
		return q.says
	}
}

// wordings returns a sentence, and shorter ones in which "a pod", "a lane" and "a node" replace the names, one after the other.
func (r row) wordings(a args, text string) (all []string) {
	for _, named := range []string{"", "pod", "lane", "node"} {
		text = strings.ReplaceAll(text, "{"+named+"}", "a "+named)
		all = append(all, r.fill(a, text))
	}
	return all
}

func (r row) details(a args) (facts []Detail) {
	if len(r.hits) > 0 {
		facts, r.lane = describeHits(r.hits, len(r.hits), a.tl).facts, ""
	}
	return append(append(facts, r.facts...), Detail{"node", r.node}, Detail{"pod", r.pod}, Detail{"lane", r.lane})
}

// fill is args.fill, and also replaces the names in braces that stand for values of the row.
func (r row) fill(a args, text string) string {
	until, length := "", r.elapsed().Length
	if r.toTheEnd {
		until = " until the load ended"
	}
	return a.fill(text, "{node}", r.node, "{pod}", r.pod, "{lane}", r.lane, "{failed}", phrase.Count(len(r.hits), "request"),
		"{at}", phrase.Seconds(r.from), "{length}", phrase.Duration(length), "{-length}", phrase.Duration(-length), "{since}", since(length),
		"{-since}", since(-length), "{until}", until, "{percent}", inShares.say(r.value), "{pods}", phrase.Count(int(r.value), "pod"),
		"{got}", phrase.Number(int(r.got)), "{of}", phrase.Count(int(r.of), a.unit))
}

// since returns a duration with "after", or with "before" if it is negative.
func since(length time.Duration) string {
	if length < 0 {
		return phrase.Duration(-length) + " before"
	}
	return phrase.Duration(length) + " after"
}

// orUncertain fills in the texts of a finding. If it is inconclusive, it marks the finding as uncertain, and the texts say so.
func orUncertain(f Finding, wordings []string, facts ...Detail) Finding {
	if f.Outcome == Inconclusive {
		f.Uncertain = true
		uncertain := make([]string, len(wordings))
		for i, wording := range wordings {
			uncertain[i] = wording + "; too uncertain to tell"
		}
		wordings = append(uncertain, wordings...)
	}
	return f.withTexts(wordings, facts...)
}
