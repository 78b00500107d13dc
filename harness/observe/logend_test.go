package observe

import (
	"slices"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
)

// ranOn is the error about a log whose end nothing confirmed.
const ranOn = "log of p: it ended while its container was seen to run: no such log any more"

func TestEndOfTheLogOfAPodThatEnds(t *testing.T) {
	runStories(t, []story{
		{"the exit line of a pod that exits at once proves that the log is whole, whatever the API shows", func(l *simPod) {
			l.plain()
			l.says("sigterm")
			l.says("exit 143")
			l.forgets()
			l.ends()
			l.asked(2)
			l.removed()
		}, ""},
		{"a request may come after the exit line", func(l *simPod) {
			l.plain()
			l.says("exit 143")
			l.gets(1)
			l.forgets()
			l.ends()
			l.asked(2)
			l.removed()
		}, ""},
		{"a pod that is killed writes no exit line, but its status shows the end before the log ends", func(l *simPod) {
			l.plain()
			l.gets(3)
			l.status(0, terminated, none)
			l.ends()
			l.removed()
		}, ""},
		{"the status of a pod that is killed shows the end while the log can be read again", func(l *simPod) {
			l.plain()
			l.gets(3)
			l.ends()
			l.asked(2)
			l.status(0, terminated, none)
		}, ""},
		{"a pod that is killed and gone before its status shows the end may have written more", func(l *simPod) {
			l.plain()
			l.gets(3)
			l.forgets()
			l.ends()
			l.asked(2)
			l.removed()
		}, ranOn},
	})
}

func TestEndOfTheLogWhileTheKubeletIsLost(t *testing.T) {
	runStories(t, []story{
		{"an API server that loses the kubelet ends the log after a line, so the log is read again until the run is over", func(l *simPod) {
			l.starts()
			l.gets(5)
			l.inject(fault{after: len(l.current().text), then: closes}, fault{after: len(l.current().text), then: closes})
			l.gets(5)
			l.status(0, running, none)
			l.seen()
			l.ends()
			l.status(0, terminated, none)
		}, ""},
		{"what a pod wrote after the API server lost the kubelet may be gone with the pod", func(l *simPod) {
			l.starts()
			l.gets(5)
			l.forgets(fault{after: len(l.current().text), then: closes})
			l.status(0, running, none)
			l.seen()
			l.asked(2)
			l.gets(5)
			l.ends()
			l.removed()
		}, ranOn},
		{"the log is read again in time after the API server lost the kubelet", func(l *simPod) {
			l.starts()
			l.gets(5)
			l.inject(fault{after: len(l.current().text), then: closes})
			l.status(0, running, none)
			l.seen()
			l.gets(5)
			l.seen()
			l.status(0, terminated, none)
			l.ends()
			l.removed()
		}, ""},
		{"the API server loses the kubelet, and the container ends", func(l *simPod) {
			l.starts()
			l.gets(5)
			l.inject(fault{after: len(l.current().text), then: closes})
			l.gets(5)
			l.ends()
			l.status(0, terminated, none)
		}, ""},
		{"the API server loses the kubelet before the first line", func(l *simPod) {
			l.inject(fault{then: closes})
			l.starts()
			l.gets(5)
			l.ends()
			l.status(0, terminated, none)
		}, ""},
		{"the API server loses the kubelet in the last pass over the log of a pod that lives on", func(l *simPod) {
			l.starts()
			l.gets(5)
			silent := fault{after: len(l.current().text), then: stalls}
			l.gets(1)
			l.inject(silent, fault{after: len(l.current().text), then: closes})
			l.gets(5)
			l.status(0, running, none)
			l.asked(1)
		}, ""},
		{"an API server that is away after all was read", func(l *simPod) {
			l.plain()
			l.inject(fault{status: 500})
			l.says("exit 0")
			l.ends()
			l.asked(2)
			l.removed()
		}, ""},
	})
}

func TestEndOfTheLogOfAContainerThatIsRemoved(t *testing.T) {
	runStories(t, []story{
		{"a container that is removed just when we stop following has written its exit line", func(l *simPod) {
			l.plain()
			l.says("exit 143")
			l.shows(evidence.PodExited)
			l.forgets()
		}, ""},
		{"a container that is removed just when we stop following has not written its exit line", func(l *simPod) {
			l.plain()
			l.forgets()
		}, "context canceled: no such log any more"},
		{"a container that is removed while its log is followed", func(l *simPod) {
			l.forgets(fault{remark: `rpc error: code = NotFound desc = an error occurred when try to find container "0": not found`})
			l.plain()
			l.asked(2)
			l.removed()
		}, ""},
		{"a container that is removed before its pod", func(l *simPod) {
			l.plain()
			l.gets(5)
			l.status(0, terminated, none)
			l.kubelet.change(func() { l.current().ended, l.current().removed = true, true })
		}, ""},
	})
}

func TestLogThatEndsIsReadAgainAtOnceButNotTimeAfterTime(t *testing.T) {
	l := newSimPod(t)
	l.starts()
	all := fault{after: len(l.current().text), then: closes}
	l.inject(all, all, all, all)
	l.status(0, running, none)
	l.asked(5)
	stop(t, l.watch)

	l.kubelet.mu.Lock()
	defer l.kubelet.mu.Unlock()
	var pauses []time.Duration
	for i, at := range l.kubelet.asked[1:5] {
		pauses = append(pauses, at.Sub(l.kubelet.asked[i]))
	}
	if slices.Min(pauses) >= retryEvery || slices.Max(pauses) < retryEvery {
		t.Errorf("pauses are %v, want some of %v and some shorter", pauses, retryEvery)
	}
}

// A pod that drains for longer than its grace period was killed, and one whose drain ended was not.
func TestPodThatDrained(t *testing.T) {
	l := newSimPod(t)
	l.plain()
	l.says("alive")
	l.says("exit 1")
	l.status(0, terminated, none)
	l.ends()
	l.removed()
	stop(t, l.watch)
	if slices.ContainsFunc(l.sink.events, func(e evidence.Event) bool { return e.Kind == evidence.PodKilled }) {
		t.Errorf("it was killed: %v", l.sink.events)
	}
}

// A pod that ignores SIGTERM and is killed was last alive at its last "alive" line.
func TestPodKilled(t *testing.T) {
	l := newSimPod(t)
	l.plain()
	l.says("alive")
	l.says("alive")
	last := time.Duration(l.lines)
	l.status(0, terminated, none)
	l.ends()
	l.removed()
	stop(t, l.watch)
	var killed []time.Duration
	for _, e := range l.sink.events {
		if e.Kind == evidence.PodKilled {
			killed = append(killed, e.At)
		}
	}
	if !slices.Equal(killed, []time.Duration{last}) {
		t.Errorf("noted at %v, want %v alone", killed, last)
	}
}
