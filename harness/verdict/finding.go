package verdict

import (
	"example.com/rollcall/harness/timeline"
)

// A Finding is what one rule says about one run.
type Finding struct {
	Rule      string       `json:"rule"`           // id
	Claim     string       `json:"claim,omitzero"` // one sentence about clients; empty for an unknown rule
	Outcome   Outcome      `json:"outcome"`
	Headline  string       `json:"headline"`           // what happened to whom and what follows, in one line of at most 120 characters
	Facts     []Detail     `json:"facts,omitzero"`     // what the headline leaves out: counts by kind of failure, pod phase, window, node
	Because   string       `json:"because"`            // headline and facts as one sentence, with every number
	Witnesses []Witness    `json:"witnesses,omitzero"` // hits that decided it, by time sent; at most 20, all of them counted in Because
	Exposure  Exposure     `json:"exposure,omitzero"`  // what the rule was tested on
	Evidence  EvidenceKind `json:"evidence,omitzero"`  // what kind of evidence it rests on; empty when it was skipped
	Grounds   Grounds      `json:"grounds,omitzero"`   // what of the recording it rests on
	Decides   []string     `json:"decides,omitzero"`   // seed claims, or parts of them, that it decides
	Stretch   int          `json:"stretch,omitzero"`   // how many times as long the times of these claims are; 0: they are about none
	// Precondition says that the finding could not have been a failure: it is about whether other rules could have seen anything.
	Precondition bool     `json:"precondition,omitzero"`
	OtherMode    bool     `json:"elsewhere,omitzero"` // skipped because the expectation is for other modes or versions
	Breaches     []Breach `json:"-"`                  // what broke the rule, as far as a slow host may have caused it; nil once that is known
	Uncertain    bool     `json:"uncertain,omitzero"` // the clocks, or a late API server, leave open on which side of a limit it is
	// Excused has, for each breach, the longest wait for a processor that excuses it; the finding is then inconclusive instead of a
	// failure. Retry says what another recording needs to tell more.
	Excused []timeline.Wait `json:"excused,omitzero"`
	Retry   Retry           `json:"retry,omitzero"`
}

// A Detail is one fact of a finding, such as {"by kind", "2 refused, 1 timeout"}.
type Detail struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// A Witness names a hit.
type Witness struct {
	Lane string `json:"lane"`
	Seq  uint64 `json:"seq"`
}

// maxWitnesses is how many hits a finding names, at most.
const maxWitnesses = 20

func witnesses(hits []timeline.Hit) []Witness {
	var named []Witness
	for _, h := range hits[:min(len(hits), maxWitnesses)] {
		named = append(named, Witness{Lane: h.Lane, Seq: h.Seq})
	}
	return named
}
