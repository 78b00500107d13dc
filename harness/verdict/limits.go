package verdict

import (
	"fmt"
	"math"
	"time"

	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
)

// An amount is a measured value: a duration in nanoseconds, a share or a number.
type amount struct {
	value     float64
	uncertain float64 // how wrong it may be either way; negative: how far it may be outside of the limits and still keep them
	more      float64 // it may be this much larger
	got, of   float64 // of a share: both numbers
}

func took(d timeline.Elapsed) amount {
	return amount{value: float64(d.Length), uncertain: float64(d.Uncertainty)}
}

func portion[N int | float64](got, of N) amount {
	return amount{value: float64(got) / float64(of), got: float64(got), of: float64(of)}
}

func (m amount) elapsed() timeline.Elapsed {
	return timeline.Elapsed{Length: time.Duration(m.value), Uncertainty: time.Duration(max(0, m.uncertain))}
}

// limits are the least and the most that an amount may be.
type limits struct{ least, most float64 }

var unlimited = math.Inf(1)

func atMost(x Expectation, _ row) limits  { return limits{-unlimited, float64(x.Max)} }
func atLeast(x Expectation, _ row) limits { return limits{float64(x.Min), unlimited} }
func ranging(x Expectation, _ row) limits { return limits{float64(x.Min), float64(x.Max)} }

func atMostCount(x Expectation, _ row) limits  { return limits{-unlimited, float64(x.Count)} }
func atLeastCount(x Expectation, _ row) limits { return limits{float64(x.Count), unlimited} }

// atLeastPercent returns the limits of a share with a least percentage only.
func atLeastPercent(x Expectation, _ row) limits {
	return limits{float64(x.Percent) / 100, unlimited}
}

// byChance returns the limits that chance allows a share in a number of independent draws.
func byChance(share, draws float64) limits {
	allowed := shareDeviations * math.Sqrt(share*(1-share)/draws)
	return limits{share - allowed, share + allowed}
}

// upTo returns the limits of a rule that has its own: 0 for "not after" another event, -1 for "before" it.
func upTo(most time.Duration) func(Expectation, row) limits {
	return func(Expectation, row) limits { return limits{-unlimited, float64(most)} }
}

// keeps returns Pass if an amount keeps the limits, Fail if it does not, and Inconclusive if that is uncertain.
func (l limits) keeps(m amount) Outcome {
	wrong, outside := max(0, m.uncertain), max(0, -m.uncertain)
	switch low, high := m.value-wrong, m.value+wrong+m.more; {
	case l.least-outside <= low && high <= l.most+outside:
		return Pass
	case low > l.most+outside || high < l.least-outside:
		return Fail
	default:
		return Inconclusive
	}
}

// beyond returns how far an amount is outside of the limits; negative inside.
func (l limits) beyond(m amount) float64 { return max(m.value-l.most, l.least-m.value) }

// grounds returns what a finding rests on. With one limit, that something lasted too long, or long enough, was seen; the opposite rests on
// nothing having been seen.
func (l limits) grounds(outcome Outcome) Grounds {
	long, short := Fail, Pass
	switch {
	case l.most == unlimited:
		long, short = Pass, Fail
	case l.least != -unlimited:
		return Whole
	}
	return map[Outcome]Grounds{long: Seen, short: Unseen}[outcome]
}

// say returns the end of a sentence that names the limits.
func (l limits) say(in unit) string {
	switch {
	case l.least == -unlimited && l.most <= 0:
		return ""
	case l.least == -unlimited && in == inNumbers:
		return fmt.Sprintf(", at most %s allowed", in.say(l.most))
	case l.least == -unlimited:
		return fmt.Sprintf(", %s allowed", in.say(l.most))
	case l.most == unlimited:
		return fmt.Sprintf(", at least %s expected", in.say(l.least))
	default:
		return fmt.Sprintf(", expected %s to %s", in.say(l.least), in.say(l.most))
	}
}

// A unit is what an amount is measured in.
type unit uint8

const (
	inTime unit = iota
	inShares
	inNumbers
)

func (u unit) say(value float64) string {
	switch u {
	case inShares:
		return fmt.Sprintf("%.4g %%", 100*value)
	case inNumbers:
		return phrase.Number(int(value))
	default:
		return phrase.Duration(time.Duration(value))
	}
}

// worse reports whether outcome a, of a part of a run, decides the outcome of the whole rather than b.
func worse(a, b Outcome) bool {
	rank := map[Outcome]int{Pass: 0, Inconclusive: 1, Fail: 2}
	return rank[a] > rank[b]
}
