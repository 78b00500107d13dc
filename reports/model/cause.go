package model

import (
	"strings"

	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
)

// A Cause is why some requests of a scenario got no good reply.
type Cause struct {
	Stage    timeline.Stage        `json:"stage"`    // how far they came
	State    timeline.PodCondition `json:"state"`    // of the pods that they went to
	Step     timeline.Trigger      `json:"step"`     // the change since when
	Owner    timeline.Owner        `json:"owner"`    // who can mend it
	Requests int                   `json:"requests"` // how many
	Lanes    []string              `json:"lanes"`
	First    float64               `json:"first_ms"` // when the first was sent, in the recording
	Last     float64               `json:"last_ms"`
	Code     string                `json:"code"`               // of the stage; see [verdict.Codes]
	Evidence []timeline.Proof      `json:"evidence"`           // how it is known where the requests went
	Since    string                `json:"since,omitempty"`    // the change, such as "the drain of worker"; absent: none, or not known
	SinceAt  *float64              `json:"since_ms,omitempty"` // when that was noted
	Open     bool                  `json:"open,omitempty"`     // the last request of some lane was among them
	Text     string                `json:"text"`               // one sentence
}

// ID names the cause within its scenario, such as "no-endpoint/none/drain".
func (c Cause) ID() string {
	return strings.Join([]string{string(c.Stage), string(c.State), string(c.Step)}, "/")
}

// CauseID returns the ID that a cause of a timeline has in a report.
func CauseID(c timeline.Cause) string {
	return Cause{Stage: c.Stage, State: c.Condition, Step: c.Trigger}.ID()
}

// An Advice is one recommendation to the owner of an app.
type Advice struct {
	Code   string `json:"code"`
	Sign   string `json:"sign"`            // what was seen, a clause
	Remedy string `json:"remedy"`          // what to do, a clause
	Cause  string `json:"cause,omitempty"` // ID of the cause that it mends, the one of most requests if several; absent: it is about no loss
	Mends  int    `json:"mends,omitempty"` // how many of the lost requests it is about
	Patch  string `json:"patch,omitempty"` // diff of the manifest that follows this advice alone; absent: a manifest cannot, or is not known
}

// String returns a sentence for each clause, and the code.
func (a Advice) String() string {
	said := phrase.Capital(a.Sign) + ". " + phrase.Capital(a.Remedy)
	if a.Mends > 0 {
		said += ", for " + phrase.Number(a.Mends) + " of the lost requests"
	}
	return said + ". (" + a.Code + ")"
}
