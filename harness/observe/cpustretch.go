package observe

import "time"

// Shares are how long somebody waited, and was throttled, in each sample held back; those that are missing at the end are 0.
type shares struct{ waited, throttled []time.Duration }

// most keeps the longest of what was counted for several threads when the last sample ended. What is longer than the sample began
// before it.
func most(of, ends []time.Duration, counted time.Duration) []time.Duration {
	for i := len(ends) - 2; counted > 0 && i >= 0; i-- {
		for len(of) <= i {
			of = append(of, 0)
		}
		within := min(counted, ends[i+1]-ends[i])
		of[i] = max(of[i], within)
		counted -= within
	}
	return of
}

// A stretch is a time in which somebody waited about the same share of it, and for how long altogether.
type stretch struct{ from, to, sum time.Duration }

// leastShare is the share of a sample, in percent, from which on somebody counts as waiting: threads that take turns on an idle
// machine wait for microseconds.
const leastShare = 5

// stretches joins samples that lie side by side and have the same quarter of waiting. Sample i is from ends[i] to ends[i+1].
func stretches(ends, sums []time.Duration) (all []stretch) {
	quarter := func(sum, length time.Duration) int { return int(min(3, 4*sum/max(1, length))) }
	last := -1
	for i, sum := range sums {
		s := stretch{ends[i], ends[i+1], sum}
		if 100*sum < leastShare*(s.to-s.from) || sum < time.Millisecond {
			continue
		}
		q := quarter(sum, s.to-s.from)
		if len(all) > 0 && all[len(all)-1].to == s.from && q == last {
			all[len(all)-1].to, all[len(all)-1].sum = s.to, all[len(all)-1].sum+sum
		} else {
			all = append(all, s)
		}
		last = q
	}
	return all
}
