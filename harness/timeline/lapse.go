package timeline

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
)

// lapses holds the times in which something was not seen, sorted by their ends.
type lapses struct {
	all     []Window
	longest time.Duration
}

// add adds the time up to an event whose count is milliseconds.
func (l *lapses) add(e evidence.Event) {
	took := time.Duration(e.Count) * time.Millisecond
	l.all, l.longest = append(l.all, Window{From: e.At - took, To: e.At}), max(l.longest, took)
}

// touching yields the lapses that overlap the time between two moments.
func (l *lapses) touching(from, to time.Duration) iter.Seq[Window] {
	return func(yield func(Window) bool) {
		i, _ := slices.BinarySearchFunc(l.all, from, func(w Window, at time.Duration) int { return cmp.Compare(w.To, at) })
		for _, w := range l.all[i:] {
			if w.To-l.longest > to || w.From <= to && !yield(w) {
				return
			}
		}
	}
}

// watchLag returns how late an event of the watch at about that moment may be: as long as the API server took to answer.
func (t Timeline) watchLag(at time.Duration) (lag time.Duration) {
	const about = time.Second // between two answers
	for w := range t.asked.touching(at-about, at+about) {
		lag = max(lag, w.Length())
	}
	return lag
}

// blind returns for how long the node's rules had not been seen at a moment. After a lapse an observer may still note what had changed
// during it, until its first look.
func (n *node) blind(at time.Duration) (blind time.Duration) {
	for w := range n.unseen.touching(at-evidence.LookGap, at) {
		blind = max(blind, at-w.From)
	}
	return blind
}
