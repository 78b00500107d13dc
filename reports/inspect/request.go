// Package inspect says in words what all files of a recording have of one request, of one pod, or of the scenario.
package inspect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
)

// A Request is one request with its pod.
type Request struct {
	timeline.Hit
	Client  timeline.Lane
	Pod     timeline.Pod       // that got it, or should have; without a name if that is not known
	Source  timeline.PodSource // how that is known
	Phase   timeline.PodPhase  // of the pod, when the request was sent
	Since   timeline.Elapsed   // how long the pod had been in that phase
	Channel timeline.Channel   // of an RPC; without a state if that is not known
}

// NewRequest finds the pod of a hit, and its phase. The pod of a control lane is known only from a reply or an arrival.
func NewRequest(h timeline.Hit, tl timeline.Timeline) Request {
	r := Request{Hit: h}
	r.Channel, _ = tl.ChannelOf(h)
	if i := slices.IndexFunc(tl.Lanes, func(l timeline.Lane) bool { return l.ID == h.Lane }); i >= 0 {
		r.Client = tl.Lanes[i]
	}
	if r.Client.Kind().IsControl() && h.By.Pod == "" && len(h.Arrivals) == 0 {
		return r
	}
	if r.Pod, r.Source = tl.ServedAccordingTo(h); r.Source != timeline.NoSource {
		r.Phase, r.Since = tl.PhaseOf(r.Pod, h)
	}
	return r
}

// SentAt returns when it was sent, by the clock of its client.
func (r Request) SentAt() timeline.Time { return r.Client.Time(r.Sent) }

// Result returns what its client got.
func (r Request) Result() string {
	var said []string
	switch {
	case r.Good():
		said = append(said, "replied, as "+cmp.Or(r.By.Version, "an unknown version"))
	case r.Fault == evidence.BadStatus:
		said = append(said, fmt.Sprintf("%s %s", r.Fault, evidence.StatusName(r.Status)))
	case r.FirstMicros > 0:
		said = append(said, string(r.Fault), r.cut())
	default:
		said = append(said, string(r.Fault))
	}
	if SentAgain(r.Hit) {
		said = append(said, Again)
	}
	return strings.Join(said, ", ")
}

// cut says how far a stream had come that did not become whole.
func (r Request) cut() string {
	said := fmt.Sprintf("cut after %s, %s", phrase.Count(int(r.Tokens), "token"), phrase.Duration(r.Took))
	if r.Client.EndMark != "" {
		said += ", without its end mark"
	}
	return said
}

// Again says of a request that it was sent more than once, whatever became of it.
const Again = "sent again"

// SentAgain reports whether a hit was given to several connections, or arrived more than once.
func SentAgain(h timeline.Hit) bool { return h.Attempts > 1 || len(h.Arrivals) > 1 }

// Arrivals returns how often pods logged a hit; -1 if that was not recorded. A request that was answered did arrive.
func Arrivals(h timeline.Hit, tl timeline.Timeline) int {
	switch {
	case !tl.Arrived:
		return -1
	case len(h.Arrivals) == 0 && h.Good():
		return 1
	default:
		return len(h.Arrivals)
	}
}

// Arrived returns how often it arrived at a pod, in words.
func (r Request) Arrived(tl timeline.Timeline) string {
	switch n := Arrivals(r.Hit, tl); n {
	case -1:
		return "not recorded"
	case 0:
		return "never"
	case 1:
		return "once"
	default:
		return phrase.Count(n, "time")
	}
}

// kept says what a connection is that had carried a request before.
func (r Request) kept() string {
	if r.Client.Protocol.Shares() {
		return "shared"
	}
	return "keep-alive"
}

// Connection returns what its connection was.
func (r Request) Connection() string {
	said := "new"
	if r.Reused {
		said = r.kept()
	}
	if r.LocalPort > 0 {
		said += fmt.Sprintf(", port %d", r.LocalPort)
	}
	if r.Attempts > 1 {
		said += fmt.Sprintf(", %d tried", r.Attempts)
	}
	return said
}
