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
	Nodes  []string `json:"nodes,omitempty"` // it is done to them, or to what runs on them
	Begun  *float64 `json:"begun_ms,omitempty"`
	Undone *float64 `json:"undone_ms,omitempty"`
	Whole  *float64 `json:"whole_ms,omitempty"`
	// CommandExit is the exit code of the command that did it; absent: no command did.
	CommandExit *int `json:"command_exit,omitempty"`
}

// A Step is something that was done to the cluster or happened to it, after which clients may have lost requests.
type Step struct {
	At   float64 `json:"at_ms"`          // in the recording
	Node string  `json:"node,omitempty"` // that it happened to
	What string  `json:"what"`
}

// An Outage is a time in which one lane got no good reply, with the steps that may have caused it, in words.
type Outage struct {
	Lane   string   `json:"lane"`
	From   float64  `json:"from_ms"` // when its first failed request was sent, in the recording
	Length float64  `json:"ms"`
	Failed int      `json:"failed"`
	Open   bool     `json:"open"`               // it lasted until the load ended
	Step   string   `json:"step,omitempty"`     // the last step before it, such as "worker: drain"
	After  *float64 `json:"after_ms,omitempty"` // from that step until its first failed request was sent
	Spans  []string `json:"spans,omitempty"`    // steps that came while it lasted
}

// An AgentAway is a time in which a load agent sent nothing, so that nobody knows what clients on its node would have seen.
type AgentAway struct {
	Node    string  `json:"node"`
	From    float64 `json:"from_ms"` // in the recording
	Length  float64 `json:"ms"`
	LeftOut int     `json:"left_out"`          // requests that it should have sent
	Unknown int     `json:"unknown,omitempty"` // requests in flight when it went away, whose end is not known
	Why     string  `json:"why"`
}

// String returns, for example, "the load agent of worker was away for 41.0 s from 12.000 s on, with 2 in flight, and left out 1,025 requests:
// its node booted".
func (a AgentAway) String() string {
	millis := func(x float64) time.Duration { return time.Duration(x * float64(time.Millisecond)) }
	inFlight := ""
	if a.Unknown > 0 {
		inFlight = ", with " + phrase.Number(a.Unknown) + " in flight,"
	}
	return fmt.Sprintf("the load agent of %s was away for %s from %s on%s and left out %s: %s", a.Node, phrase.Duration(millis(a.Length)),
		phrase.Seconds(millis(a.From)), inFlight, phrase.Count(a.LeftOut, "request"), a.Why)
}
