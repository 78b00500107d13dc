package verdict

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
)

// A question is how a rule judges a recording. Most rules use one of five: nothing of a kind is there ([none]), enough of it is
// ([some]), an amount keeps limits ([bound]), the scenario noted a value ([value]), each pod or version answered its share ([split]).
type question interface{ answer(args) Finding }

// args is an expectation with what is needed to judge it.
type args struct {
	Expectation
	tl    timeline.Timeline
	lanes []timeline.Lane // the rule's lanes that the expectation is about
	unit  string          // of the rule
}

func (a args) sum(of func(timeline.LaneSummary) int) (n int) {
	return a.perLane(func(lane timeline.Lane) int { return of(lane.Summary) })
}

// at returns when a mark came; 0 if it never did.
func (a args) at(mark evidence.EventKind) time.Duration {
	at, _ := a.tl.Mark(mark)
	return at
}

func (a args) perLane(of func(timeline.Lane) int) (n int) {
	for _, lane := range a.lanes {
		n += of(lane)
	}
	return n
}

// found holds what a rule of the questions none and some looks for, as far as it is in the recording.
type found struct {
	hits  []timeline.Hit // the hits that are it or show it, by time sent
	count int
	more  bool // there may be more
	whole bool // the count also rests on what was not seen
	facts []Detail
	// of describes the hits if hits are only examples; nil: hits are all.
	of *description
	// wordings of the sentence that say more than the count, to try first.
	wordings []string
	unclear  string   // if count is 0: why there may be one, nevertheless
	usual    string   // why those that are there say nothing of the rollout; empty: they do
	breaches []Breach // who can have caused it by getting no processor; empty: nobody
}

func foundHits(hits []timeline.Hit) found { return found{hits: hits, count: len(hits)} }

func (a args) foundFailed(hits []timeline.Hit) found {
	return found{hits: hits, count: len(hits), breaches: failures(a, hits)}
}

func (f found) number() string {
	if f.more {
		return phrase.Number(f.count) + " or more"
	}
	return phrase.Number(f.count)
}

// share returns how many there are, of how many if that is counted, and what they did: "3 of 400 requests failed".
func (f found) share(a args, of func(args) int, noun, did string) string {
	noun, did = cmp.Or(noun, a.unit), a.fillOf(f.count, did)
	if of == nil {
		return phrase.Count(f.count, noun) + " " + did
	}
	return fmt.Sprintf("%s of %s %s", f.number(), phrase.Count(of(a), noun), did)
}

// from returns a fact with the moment that the expectation counts from, if it names one.
func (a args) from() []Detail {
	at, ok := a.tl.Mark(a.From)
	if !ok {
		return nil
	}
	return []Detail{{string(a.From), phrase.Seconds(at)}}
}

// withTexts fills in the texts of a finding. The headline is the first wording that fits; Because is the first wording and all facts.
func (f Finding) withTexts(wordings []string, facts ...Detail) Finding {
	f.Headline, f.Facts = phrase.Headline(wordings...), withoutEmpty(facts...)
	f.Because = cmp.Or(wordings...)
	var said []string
	for _, fact := range f.Facts {
		said = append(said, fact.Name+": "+fact.Value)
	}
	if len(said) > 0 {
		f.Because += " (" + strings.Join(said, "; ") + ")"
	}
	return f
}

// undecided returns an inconclusive finding: the recording, or the expectation, does not allow a judgement.
func undecided(because string) Finding { return Finding{Because: because} }

// summed returns a function that adds up a number over the lanes' summaries.
func summed(of func(timeline.LaneSummary) int) func(args) int {
	return func(a args) int { return a.sum(of) }
}

func oneIf(there bool) int {
	if there {
		return 1
	}
	return 0
}
