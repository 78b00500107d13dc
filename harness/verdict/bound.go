package verdict

import (
	"cmp"
	"math"
	"strings"
	"time"

	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
)

// bound asks how much there was of something: how long it lasted, how large a share it is, how many there were at the worst moment. Each
// of the rows has to keep the limits; the one that keeps them least is told. That it lasted too long was seen, where only that is asked,
// and likewise that it lasted long enough; a share and a number rest on all that was seen.
type bound struct {
	in       unit
	rows     func(asked) []row
	limits   func(Expectation, row) limits // of a row
	says     string                        // what there was so much of, see fill
	before   string                        // the same of what came before, and so lasted less than no time; empty: says
	open     string                        // the same of what may have gone on after it was seen last; empty: says
	measured string                        // what was measured, if it is not how long it lasted: "after SIGTERM by"
	nothing  string                        // that holds where no row is there; empty: then it was put to nothing
	untested bool                          // too little is no failure of the cluster: it shows too little
	// cut is why a failure shows nothing; empty: it does.
	cut func(a asked, worst row, all []row) string
}

// A row is one of what a bound is about. What is not known of it is empty.
type row struct {
	amount
	node, pod, lane string
	from            time.Duration
	toTheEnd        bool    // of the load
	whole           bool    // it rests on what was not seen too
	expected        float64 // what share it was to be, where that is of what was recorded
	lack            string  // why it has no amount
	broken          string  // why it keeps no limits, in the place of what the bound says
	hits            []timeline.Hit
	breaches        []Breach // if it is too much, or too little: who can have caused that by getting no processor; empty: nobody can
	facts           []Detail
}

// eachLane is a row of each lane.
func eachLane(of func(a asked, lane timeline.Lane) row) func(asked) []row {
	return func(a asked) (rows []row) {
		for _, lane := range a.lanes {
			r := of(a, lane)
			r.lane = lane.ID
			rows = append(rows, r)
		}
		return rows
	}
}

func (q bound) answer(a asked) Finding {
	rows := q.rows(a)
	switch {
	case len(rows) == 0 && q.nothing == "":
		return Finding{}
	case len(rows) == 0:
		return Finding{Outcome: Pass, Grounds: Unseen}.tell([]string{q.nothing})
	}
	worst, outcome, breaches := q.worst(a, rows)
	switch {
	case worst.lack != "":
		return undecided(worst.lack)
	case worst.broken != "":
		return Finding{Outcome: Fail}.tell([]string{worst.broken}, worst.facts...)
	}
	allowed := q.limits(a.Expectation, worst)
	f := Finding{Outcome: outcome, Breaches: breaches}
	if !worst.whole && (q.in == inTime || q.in == inShares && worst.value == 0 && allowed.least == -unlimited) {
		f.Grounds = allowed.grounds(outcome)
	}
	if outcome == Fail || outcome == Inconclusive {
		f.Witnesses = witnesses(worst.hits)
	}
	wordings, facts := worst.wordings(a, q.sentence(worst)+allowed.say(q.in)), worst.details(a)
	if q.in == inTime {
		facts = append(facts, Detail{cmp.Or(q.measured, "lasted"), phrase.Elapsed(worst.elapsed())})
	}
	if len(rows) > 1 {
		facts = append(facts, Detail{"worst of", phrase.Number(len(rows))})
	}
	if outcome == Fail && q.cut != nil {
		if why := q.cut(a, worst, rows); why != "" {
			return Finding{}.tell([]string{why}, facts...)
		}
	}
	if outcome == Fail && q.untested {
		return Finding{}.tell(wordings, facts...)
	}
	return orUncertain(f, wordings, facts...)
}

// worst is which of some rows, of at least one, decides what becomes of all, and what that is: of those with the worst outcome the
// one that is most beyond what is allowed. The breaches are those of all rows that fail; none if one of them has none: nobody who
// waited can have caused that one.
func (q bound) worst(a asked, rows []row) (worst row, outcome Outcome, breaches []Breach) {
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

// sentence is what is said of a row.
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

// wordings are a sentence, and shorter ones that name neither a pod, nor a lane, nor a node.
func (r row) wordings(a asked, text string) (all []string) {
	for _, named := range []string{"", "pod", "lane", "node"} {
		text = strings.ReplaceAll(text, "{"+named+"}", "a "+named)
		all = append(all, r.fill(a, text))
	}
	return all
}

func (r row) details(a asked) (facts []Detail) {
	if len(r.hits) > 0 {
		facts, r.lane = describeHits(r.hits, len(r.hits), a.tl).facts, ""
	}
	return append(append(facts, r.facts...), Detail{"node", r.node}, Detail{"pod", r.pod}, Detail{"lane", r.lane})
}

// fill also puts in what is known of the row.
func (r row) fill(a asked, text string) string {
	until, length := "", r.elapsed().Length
	if r.toTheEnd {
		until = " until the load ended"
	}
	return a.fill(text, "{node}", r.node, "{pod}", r.pod, "{lane}", r.lane, "{failed}", phrase.Count(len(r.hits), "request"),
		"{at}", phrase.Seconds(r.from), "{length}", phrase.Duration(length), "{-length}", phrase.Duration(-length), "{since}", since(length),
		"{-since}", since(-length), "{until}", until, "{percent}", inShares.say(r.value), "{pods}", phrase.Count(int(r.value), "pod"),
		"{got}", phrase.Number(int(r.got)), "{of}", phrase.Count(int(r.of), a.unit))
}

// since is how something is placed that came a time after something else, or before it.
func since(length time.Duration) string {
	if length < 0 {
		return phrase.Duration(-length) + " before"
	}
	return phrase.Duration(length) + " after"
}

// orUncertain has a finding say a sentence, and why it decides nothing where what is beside a bound is uncertain.
func orUncertain(f Finding, wordings []string, facts ...Detail) Finding {
	if f.Outcome == Inconclusive {
		f.Uncertain = true
		uncertain := make([]string, len(wordings))
		for i, wording := range wordings {
			uncertain[i] = wording + "; too uncertain to tell"
		}
		wordings = append(uncertain, wordings...)
	}
	return f.tell(wordings, facts...)
}
