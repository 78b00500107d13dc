package loadgen

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"rollcall/harness/evidence"
)

// A Progress is how far a lane got, for live lines. It is no evidence.
type Progress struct {
	Sent      int            `json:"sent"` // requests begun; those in flight included
	Failed    int            `json:"failed"`
	ByVersion map[string]int `json:"by_version"` // good replies
	// Trouble is the first error, in words, that was of no known type, such as the client being out of ports;
	// empty when there was none. It puts the recording in doubt, though never in favour of the cluster: the
	// hit counts as failed.
	Trouble string `json:"trouble,omitempty"`
}

// A tape gathers the hits of a lane. A hit costs 144 bytes, and a quarter more for the room that append leaves:
// names of servers are stored once.
type tape struct {
	mu       sync.Mutex
	hits     []evidence.Hit
	names    names
	progress Progress
}

func newTape() *tape {
	return &tape{names: names{}, progress: Progress{ByVersion: map[string]int{}}}
}

func (t *tape) begin() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.progress.Sent++
}

// keep adds a hit; trouble is the error behind it when that is of no known type, else nil.
func (t *tape) keep(h evidence.Hit, trouble error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.hits = append(t.hits, t.names.intern(h))
	if h.Failed() {
		t.progress.Failed++
	} else {
		t.progress.ByVersion[h.By.Version]++
	}
	if trouble != nil && t.progress.Trouble == "" {
		t.progress.Trouble = trouble.Error()
	}
}

func (t *tape) soFar() Progress {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.progress
	p.ByVersion = maps.Clone(p.ByVersion)
	return p
}

// end sorts the hits by sequence number, once no more will come.
func (t *tape) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	slices.SortFunc(t.hits, func(a, b evidence.Hit) int { return cmp.Compare(a.Seq, b.Seq) })
}

// A names set holds the strings seen before, so that the thousand hits of one pod share one copy of its name.
type names map[string]string

func (n names) intern(h evidence.Hit) evidence.Hit {
	h.Lane = n.one(h.Lane)
	h.By = evidence.Server{Version: n.one(h.By.Version), Pod: n.one(h.By.Pod), Node: n.one(h.By.Node)}
	h.Fault = evidence.Fault(n.one(string(h.Fault)))
	return h
}

func (n names) one(s string) string {
	if known, ok := n[s]; ok {
		return known
	}
	n[s] = s
	return s
}
