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

// A question is what a rule asks of a recording. There are five: whether nothing of a kind is there ([none]) or enough of it
// ([some]), how much there was of something ([bound]), what was noted ([value]), and who answered how often ([split]).
type question interface{ answer(asked) Finding }

// An asked is an expectation and what there is to judge it by.
type asked struct {
	Expectation
	tl    timeline.Timeline
	lanes []timeline.Lane // those of the rule that the expectation is about
	unit  string          // of the rule
}

// sum adds up something over the lanes.
func (a asked) sum(of func(timeline.LaneSummary) int) (n int) {
	return a.perLane(func(lane timeline.Lane) int { return of(lane.Summary) })
}

// at is when a mark came; 0 where it never did.
func (a asked) at(mark evidence.EventKind) time.Duration {
	at, _ := a.tl.Mark(mark)
	return at
}

func (a asked) perLane(of func(timeline.Lane) int) (n int) {
	for _, lane := range a.lanes {
		n += of(lane)
	}
	return n
}

// A found is what a rule looks for, as far as it is there.
type found struct {
	hits  []timeline.Hit // of them or that show them, by time sent
	count int
	more  bool // there may be more
	whole bool // that they are there, or none is, rests on what was not seen too
	facts []Detail
	// of says when and where they were, where their hits are but examples; nil: the hits do.
	of *description
	// wordings say more of them than how many there are; they come first.
	wordings []string
	unclear  string   // why it is open whether one is there, where none surely is
	breaches []Breach // who can have caused it by getting no processor; empty: nobody can
}

func foundHits(hits []timeline.Hit) found { return found{hits: hits, count: len(hits)} }

func (a asked) foundFailed(hits []timeline.Hit) found {
	return found{hits: hits, count: len(hits), breaches: failures(a, hits)}
}

// number is how many there are.
func (f found) number() string {
	if f.more {
		return phrase.Number(f.count) + " or more"
	}
	return phrase.Number(f.count)
}

// share says how many there are, of how many where those are counted, and what they did.
func (f found) share(a asked, of func(asked) int, noun, did string) string {
	noun, did = cmp.Or(noun, a.unit), a.fillOf(f.count, did)
	if of == nil {
		return phrase.Count(f.count, noun) + " " + did
	}
	return fmt.Sprintf("%s of %s %s", f.number(), phrase.Count(of(a), noun), did)
}

// from is when the moment was that the expectation counts from, if it names one.
func (a asked) from() []Detail {
	at, ok := a.tl.Mark(a.From)
	if !ok {
		return nil
	}
	return []Detail{{string(a.From), phrase.Seconds(at)}}
}

// tell has a finding say a sentence, in the first of these wordings that fits a headline, and facts beside it. Because is both.
func (f Finding) tell(wordings []string, facts ...Detail) Finding {
	f.Headline, f.Facts = phrase.Headline(wordings...), known(facts...)
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

// undecided is a finding that the recording, or the expectation, does not allow a judgement.
func undecided(because string) Finding { return Finding{Because: because} }

// summed is what adds up something over the lanes.
func summed(of func(timeline.LaneSummary) int) func(asked) int {
	return func(a asked) int { return a.sum(of) }
}

// oneIf counts what there is one of or none.
func oneIf(there bool) int {
	if there {
		return 1
	}
	return 0
}
