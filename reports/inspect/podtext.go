package inspect

import (
	"cmp"
	"fmt"
	"io"
	"time"

	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
)

// Pod prints what is recorded of a pod: its life, until when each node's rules routed to it, and what became of the requests that it got or
// should have got. The error says that there is no such pod.
func (r *Recording) Pod(w io.Writer, name string) error {
	life, err := r.pod(name)
	if err != nil {
		return err
	}
	say(w, "pod %s (%s) on node %s, in %s", life.Pod.Pod, cmp.Or(life.Version, "version unknown"), cmp.Or(life.Node, "unknown"),
		r.Scenario.Mode+"/"+r.Scenario.Name())
	var told [][2]string
	for _, span := range r.Timeline.RulesTo(life.Pod.Pod) {
		until := "until " + r.offset(span.To.At)
		if !span.Gone {
			until = "and still did at " + r.offset(span.To.At)
		}
		told = append(told, [2]string{"rules", fmt.Sprintf("of %s routed to it from %s %s %s", span.Node, r.offset(span.From.At), until,
			plusMinus(span.To.Err+span.To.Late))})
	}
	if of := r.replies[life.Pod.Pod]; of.count > 0 {
		told = append(told, [2]string{"replies", fmt.Sprintf("%s to requests sent from %s to %s", phrase.Count(of.count, "good reply"),
			r.offset(of.first), r.offset(of.last))})
	}
	failed, first, last := r.failedAt(life.Pod)
	if n := len(failed); n > 0 {
		told = append(told, [2]string{"failed", fmt.Sprintf("%s, sent from %s to %s; the first: %s", phrase.Count(n, "request"),
			r.offset(first), r.offset(last), r.command(fmt.Sprintf("--request %s/%d", failed[0].Lane, failed[0].Seq)))})
	}
	told = append(told, [2]string{"waits", waits(r.Timeline.CPUWaits(life.Pod.Pod))})
	facts(w, told...)
	fmt.Fprintln(w)
	var all []moment
	for _, e := range life.Events {
		all = append(all, r.event(e))
	}
	r.moments(w, nil, all)
	r.raw(w, fmt.Sprintf("grep %s events.jsonl", life.Pod.Pod))
	return nil
}

// failedAt lists the failed requests that a pod got or should have got, by time sent.
func (r *Recording) failedAt(p timeline.Pod) (failed []Request, first, last time.Duration) {
	for _, h := range timeline.Failed(r.Timeline.Lanes) {
		if q := NewRequest(h, r.Timeline); q.Source != timeline.NoSource && q.Pod.Pod == p.Pod {
			failed = append(failed, q)
		}
	}
	if n := len(failed); n > 0 {
		first, last = failed[0].Sent, failed[n-1].Sent
	}
	return failed, first, last
}

// waits describes how often, how long in all and how long at most a pod waited for a processor.
func waits(n int, total, longest time.Duration) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("for a processor: %s, in all %s, the longest %s", phrase.Count(n, "time"), phrase.Duration(total),
		phrase.Duration(longest))
}
