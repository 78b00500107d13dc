package reports

import (
	"slices"
	"time"

	"example.com/rollcall/harness/timeline"
)

// deletionSeen is how long after a pod's deletion the watch may still tell of it: until then an app that ends looks as if it stayed. As
// long as a watch may be blind before it is told (harness/observe, heartbeat).
const deletionSeen = 2 * time.Second

// ends reports whether a pod's deletion had begun by a moment.
func ends(pod timeline.Pod, by time.Duration) bool {
	return slices.ContainsFunc(pod.Steps, func(s timeline.PodStep) bool { return s.Phase >= timeline.PodDeleting && s.At <= by })
}

// cutConnections are requests over kept connections that pods which stayed closed without a reply, by pod.
type cutConnections map[string][]timeline.Hit

// idle is for how long connections were idle that servers closed by a timer of theirs. All of them were idle for as long, for of one that
// was for longer its client had seen the end; and pods went on with it, for what ends a process closes all its connections, and each is
// used within the time in which clients use theirs. Servers count their timeouts in seconds (gunicorn 2, node and Apache 5 by default), so
// less is none.
func (c cutConnections) idle() (age time.Duration, by bool) {
	var ages []time.Duration
	goesOn := false
	for _, hits := range c {
		for _, h := range hits {
			ages = append(ages, h.Idle)
			goesOn = goesOn || h.Sent-hits[0].Sent > 2*h.Idle
		}
	}
	if len(ages) == 0 {
		return 0, false
	}
	shortest, longest := slices.Min(ages), slices.Max(ages)
	return longest, goesOn && shortest >= time.Second && longest-shortest <= longest/10
}

func (c cutConnections) count() (n int) {
	for _, hits := range c {
		n += len(hits)
	}
	return n
}
