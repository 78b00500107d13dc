package verdict

import (
	"fmt"
	"math"
	"time"

	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
)

// An amount is how much there was of something, in nanoseconds, as a share or as a number.
type amount struct {
	value     float64
	uncertain float64 // by how much it may be wrong either way; negative: by how much it may be without being uncertain
	more      float64 // there may be so much more of it
	got, of   float64 // what it is a share of
}

// took is how long something lasted.
func took(d timeline.Elapsed) amount {
	return amount{value: float64(d.Length), uncertain: float64(d.Uncertainty)}
}

// portion is how large a part some of all are.
func portion[N int | float64](got, of N) amount {
	return amount{value: float64(got) / float64(of), got: float64(got), of: float64(of)}
}

func (m amount) elapsed() timeline.Elapsed {
	return timeline.Elapsed{Length: time.Duration(m.value), Uncertainty: time.Duration(max(0, m.uncertain))}
}

// limits are the least and the most of an amount.
type limits struct{ least, most float64 }

var unlimited = math.Inf(1)

func atMost(x Expectation, _ row) limits  { return limits{-unlimited, float64(x.Max)} }
func atLeast(x Expectation, _ row) limits { return limits{float64(x.Min), unlimited} }
func ranging(x Expectation, _ row) limits { return limits{float64(x.Min), float64(x.Max)} }

func atMostCount(x Expectation, _ row) limits  { return limits{-unlimited, float64(x.Count)} }
func atLeastCount(x Expectation, _ row) limits { return limits{float64(x.Count), unlimited} }

// atLeastPercent is the limit of a share that has none above.
func atLeastPercent(x Expectation, _ row) limits {
	return limits{float64(x.Percent) / 100, unlimited}
}

// byChance is what chance makes of a share, of so many draws.
func byChance(share, draws float64) limits {
	allowed := shareDeviations * math.Sqrt(share*(1-share)/draws)
	return limits{share - allowed, share + allowed}
}

// upTo is for a bound that the rule itself has: 0 is not after another thing, -1 before it.
func upTo(most time.Duration) func(Expectation, row) limits {
	return func(Expectation, row) limits { return limits{-unlimited, float64(most)} }
}

// keeps is whether an amount keeps the limits; inconclusive when that is uncertain.
func (l limits) keeps(m amount) Outcome {
	switch low, high := m.value-m.uncertain, m.value+m.uncertain+m.more; {
	case l.least <= low && high <= l.most:
		return Pass
	case low > l.most || high < l.least:
		return Fail
	default:
		return Inconclusive
	}
}

// beyond is by how much an amount is, or nearly is, outside of the limits.
func (l limits) beyond(m amount) float64 { return max(m.value-l.most, l.least-m.value) }

// grounds are what a finding rests on: that something lasted too long, or long enough, was seen; that it did not, was not.
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

// say says what is allowed, in a unit.
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

// A unit is what amounts are in.
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

// worse reports whether of two outcomes about parts of a run the first decides the whole.
func worse(a, b Outcome) bool {
	rank := map[Outcome]int{Pass: 0, Inconclusive: 1, Fail: 2}
	return rank[a] > rank[b]
}
