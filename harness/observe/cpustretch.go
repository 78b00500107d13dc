package observe

import "time"

// waits are how long a process waited, and was throttled, in each sample that is held back; those missing at the end are 0.
type waits struct{ waited, throttled []time.Duration }

// keepLongest spreads a duration, counted at the end of the last sample, backwards over the samples, and keeps for each sample the longest
// of all threads.
func keepLongest(of, ends []time.Duration, counted time.Duration) []time.Duration {
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

// A stretch is a time in which a process waited for about the same share of the time; sum is how long it waited.
type stretch struct{ from, to, sum time.Duration }

// leastShare is the least share of a sample, in percent, that counts as waiting: threads that take turns on an idle
// machine wait for microseconds.
const leastShare = 5

// stretches joins adjacent samples whose shares of waiting are in the same quarter. Sample i is from ends[i] to ends[i+1].
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
