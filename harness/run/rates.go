package run

import (
	"fmt"
	"slices"
	"time"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict/phrase"
)

// Requests per second and lane. At the lowest rate a rollout of 10 s still has 60 requests of each lane.
const (
	lowestRate = 6
	mostRate   = 1000
)

// rateSteps returns the rates of recordings. The first is the highest that the machine should carry; each time it turns out to be too
// much, the next lower one follows.
func rateSteps() []int { return []int{harness.FullRate, 50, 25, 12, lowestRate} }

// ratePerCore is the rate, in requests per second and lane summed over all recordings under load, that a core carries. A request takes
// client and app together 1.4 ms of a processor (perf of a rolling update on 2 cores: 337 requests per second, 23 % of both), so the
// 7 lanes of a recording take a quarter of a core at 25. At 50, pods waited twice as long for a processor while other pods started.
const ratePerCore = 25

// firstRate returns the rate that a run begins with: what the machine carries, shared by the recordings that may be under load
// side by side, rounded down to a step.
func firstRate(jobs, cores int) int {
	for _, step := range rateSteps() {
		if step*loadsOf(jobs) <= ratePerCore*cores {
			return step
		}
	}
	return lowestRate
}

// lowerRate sets the rate one step below from, which was too much, unless another recording has lowered it already. It returns the
// rate to use next.
func (r *Run) lowerRate(from int, because string) (now int, err error) {
	err = r.editSession(func(s *evidence.Session) {
		lower := slices.IndexFunc(rateSteps(), func(step int) bool { return step < from })
		if now = min(from, s.Rate); now < from || lower < 0 {
			return
		}
		now = rateSteps()[lower]
		s.Rate = now
		s.Steps = append(s.Steps, fmt.Sprintf("the rate was lowered from %d to %d requests per second and lane: %s", from, now, because))
	})
	return now, err
}

// lowered returns the limit of a load with a lower rate than the one that the run began with; none if it is the same.
func lowered(load, first harness.UnderLoad) []evidence.Limit {
	if load.Rate >= first.Rate {
		return nil
	}
	return []evidence.Limit{{ID: evidence.RateLowered, Text: fmt.Sprintf("each client sent %d requests per second, not %d, because this "+
		"machine carried no more: a loss shorter than %s may not be seen, nor one later than %s after all was at rest",
		load.Rate, first.Rate, phrase.Duration(time.Second/time.Duration(load.Rate)), phrase.Duration(load.Settle))}}
}

// lowerJobs lets one recording less than from run beside one under load, because the cluster's processes waited too long for this
// machine's processors, unless another recording has changed the number already.
func (r *Run) lowerJobs(from int, because string) error {
	return r.changeJobs(from, from-1, "lowered", because)
}

// raiseJobs lets one recording more than from run beside one under load, up to what this machine may carry, and always fewer than
// were once too many.
func (r *Run) raiseJobs(from int) error {
	return r.changeJobs(from, from+1, "raised", "no pod that serves waited for a processor")
}

func (r *Run) changeJobs(from, to int, did, because string) error {
	return r.editSession(func(s *evidence.Session) {
		if to < from && (s.TooMany == 0 || from < s.TooMany) {
			s.TooMany = from
		}
		if s.Jobs == from && 1 <= to && to <= s.MostJobs && (s.TooMany == 0 || to < s.TooMany) {
			s.Jobs = to
			s.Steps = append(s.Steps, fmt.Sprintf("recordings side by side were %s from %d to %d: %s", did, from, to, because))
		}
	})
}
