package runner

import (
	"fmt"
	"slices"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
)

// Requests per second and lane. At the lowest rate a rollout of 10 s still has 60 requests of each lane.
const (
	lowestRate = 6
	mostRate   = 1000
)

// rateSteps are the rates that recordings are made with: at first the most that the machine carries, and a step lower each
// time it turns out to carry less.
func rateSteps() []int { return []int{harness.FullRate, 50, 25, 12, lowestRate} }

// ratePerCore is what a core carries of the requests per second and lane of all recordings under load together. A request takes the
// client and the app 1.4 ms of a processor (perf of a rolling update on 2 cores: 337 requests per second, 23 % of both), so that the 7
// lanes of a recording take a quarter of a core at 25. At 50 pods waited for a processor for twice as long beside other pods that start.
const ratePerCore = 25

// firstRate is what recordings are made with at first: what the machine carries, shared among those that are under load side
// by side, and no more than the first step.
func firstRate(jobs, cores int) int {
	for _, step := range rateSteps() {
		if step*loadsOf(jobs) <= ratePerCore*cores {
			return step
		}
	}
	return lowestRate
}

// lowerRate goes one step below a rate that was too much, unless somebody has done so already. It gives the rate from
// now on.
func (r *Runner) lowerRate(from int, because string) (now int, err error) {
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

// lowerJobs lets one recording less go on beside one that is under load than did, because the cluster's processes got too little of
// this machine; unless somebody has done so already.
func (r *Runner) lowerJobs(from int, because string) error {
	return r.changeJobs(from, from-1, "lowered", because)
}

// raiseJobs lets one recording more go on beside one that is under load, up to as many as this machine may carry and have not
// been too many yet.
func (r *Runner) raiseJobs(from int) error {
	return r.changeJobs(from, from+1, "raised", "no pod that serves waited for a processor")
}

func (r *Runner) changeJobs(from, to int, did, because string) error {
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
