package timeline

import (
	"slices"
	"time"
)

const (
	// lateAnswer is how much longer than any before the rollout an answer has to take to count as late: more than the pod's node waits before
	// it sends a lost reply again, which a client does not see (dataTimer). Our own choice.
	lateAnswer = 300 * time.Millisecond
	// together is how many requests a pod has to have at once that it answers late: the network may delay one or two. Our own choice.
	together = 3
)

// findLateTogether adds to the slow replies of each lane those that a pod gave late, several at once, as when its process is stopped. What
// waits for a processor or the control lanes explain does not count.
func (t *Timeline) findLateTogether() {
	byPod := map[string][]SlowReply{}
	for _, l := range t.Lanes {
		for _, h := range l.lateAnswers {
			late := answerTime(&h.Hit) - lateAnswer - l.slowestBefore
			in := Window{From: h.Sent, To: h.End()}
			waited, _ := t.Waited(in, t.ServedBy(h)...)
			known := slices.ContainsFunc(l.Slow, func(s SlowReply) bool { return s.Seq == h.Seq })
			if !known && max(waited, t.controlWaited(in)) <= late {
				byPod[h.By.Pod] = append(byPod[h.By.Pod], SlowReply{Hit: h, Cause: LateTogether, Late: late})
			}
		}
	}
	slow := map[string][]SlowReply{}
	for _, late := range byPod {
		for _, s := range atOnce(late) {
			slow[s.Lane] = append(slow[s.Lane], s)
		}
	}
	for i := range t.Lanes {
		l := &t.Lanes[i]
		l.Slow, l.lateAnswers = append(l.Slow, slow[l.ID]...), nil
		slices.SortStableFunc(l.Slow, func(a, b SlowReply) int { return BySent(a.Hit, b.Hit) })
	}
}

// controlWaited returns the longest wait for a reply on a control lane in a window.
func (t *Timeline) controlWaited(in Window) (longest time.Duration) {
	for _, l := range t.Lanes {
		for _, w := range l.slowControl {
			part, _ := w.within(in)
			longest = max(longest, part.Waited)
		}
	}
	return longest
}

// atOnce returns those replies of a pod for which several requests were in flight at a time.
func atOnce(late []SlowReply) (found []SlowReply) {
	slices.SortStableFunc(late, func(a, b SlowReply) int { return BySent(a.Hit, b.Hit) })
	longest := time.Duration(0)
	for _, s := range late {
		longest = max(longest, s.Took)
	}
	counts := make([]bool, len(late))
	for last := range late {
		var with []int
		for i := last; i >= 0 && late[last].Sent-late[i].Sent < longest; i-- {
			if late[i].End() > late[last].Sent {
				with = append(with, i)
			}
		}
		for _, i := range with {
			counts[i] = counts[i] || len(with) >= together
		}
	}
	for i, s := range late {
		if counts[i] {
			found = append(found, s)
		}
	}
	return found
}
