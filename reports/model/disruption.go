package model

import (
	"fmt"
	"time"

	"example.com/rollcall/harness/verdict/phrase"
)

// A Disruption is what was done to the cluster under load, and when, in milliseconds of the recording. What was not seen is absent.
type Disruption struct {
	ID     string   `json:"id"`
	Does   string   `json:"does"`            // one sentence: what is done to what
	Nodes  []string `json:"nodes,omitempty"` // that it is done to, or that carry what it is done to
	Begun  *float64 `json:"begun_ms,omitempty"`
	Undone *float64 `json:"undone_ms,omitempty"`
	Whole  *float64 `json:"whole_ms,omitempty"`
	// CommandExit is the exit code of the command by which somebody did it; absent: there was none.
	CommandExit *int `json:"command_exit,omitempty"`
}

// A Step is something that was done to the cluster, or that became of it, from which on clients may have lost requests.
type Step struct {
	At   float64 `json:"at_ms"`          // in the recording
	Node string  `json:"node,omitempty"` // that it is about
	What string  `json:"what"`
}

// An Outage is a time in which one lane got no good reply, and the steps that it may be blamed on, in words.
type Outage struct {
	Lane   string   `json:"lane"`
	From   float64  `json:"from_ms"` // when its first failed request was sent, in the recording
	Length float64  `json:"ms"`
	Failed int      `json:"failed"`
	Open   bool     `json:"open"`               // it lasted until the load ended
	Step   string   `json:"step,omitempty"`     // the last before it, such as "worker: drain"
	After  *float64 `json:"after_ms,omitempty"` // from that step until its first failed request was sent
	Spans  []string `json:"spans,omitempty"`    // steps that came while it lasted
}

// An AgentAway is that a load agent sent nothing for a while, so that nobody knows what clients on its node would have seen.
type AgentAway struct {
	Node    string  `json:"node"`
	From    float64 `json:"from_ms"` // in the recording
	Length  float64 `json:"ms"`
	LeftOut int     `json:"left_out"`          // requests that it was to send
	Unknown int     `json:"unknown,omitempty"` // requests in flight when it went, of which nobody knows how they ended
	Why     string  `json:"why"`
}

// String is like "the load agent of worker was away for 41.0 s from 12.000s on and left out 1,025 requests: its node booted".
func (a AgentAway) String() string {
	millis := func(x float64) time.Duration { return time.Duration(x * float64(time.Millisecond)) }
	return fmt.Sprintf("the load agent of %s was away for %s from %s on and left out %s: %s", a.Node, phrase.Duration(millis(a.Length)),
		phrase.Seconds(millis(a.From)), phrase.Count(a.LeftOut, "request"), a.Why)
}
