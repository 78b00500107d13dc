package timeline

import (
	"slices"
	"time"
)

// endsIn reports whether a pod began to end, or came further with that, in a window. An earlier pod of a StatefulSet may have had its name.
func endsIn(pod Pod, in Window) bool {
	return slices.ContainsFunc(pod.Steps, func(s PodStep) bool {
		return s.Phase >= PodDeleting && in.From <= s.At && s.At <= in.To
	})
}

// cutConnections has, by pod, the requests over kept connections that the pod closed without a reply though it was not ending.
type cutConnections map[string][]Hit

// idle returns for how long connections had been idle that servers closed by a timer, and whether a timer did it. If so, all had been idle
// for the same time, because a client sees the end of a connection that is idle for longer. And a pod went on closing them, because a
// process that ends closes all its connections at once, and clients use each again within their usual time. Servers set such timeouts in
// seconds (gunicorn 2, node and Apache 5 by default), so less is none.
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
