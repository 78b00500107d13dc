package verdict

import (
	"example.com/rollcall/harness/timeline"
)

// A Finding is what one rule says about one run.
type Finding struct {
	Rule      string // id
	Claim     string // one sentence about clients; empty for an unknown rule
	Outcome   Outcome
	Headline  string       // what happened to whom and what follows, in one line of at most 120 characters
	Facts     []Detail     // what the headline leaves out: counts by kind of failure, pod phase, window, node, witnesses
	Because   string       // headline and facts as one sentence, with every number
	Witnesses []Witness    // hits that decided it, by time sent; at most 20, all of them counted in Because
	Exposure  Exposure     // what the rule was tested on
	Evidence  EvidenceKind // what kind of evidence it rests on; empty when it was skipped
	Grounds   Grounds      // what of the recording it rests on
	Decides   []string     // seed claims, or parts of them, that it decides
	Stretch   int          // how many times as long the times are that these claims are about; 0: they are about none
	// Precondition says that the finding could not have been a failure: it is about whether other rules could have seen anything.
	Precondition bool
	Elsewhere    bool     // skipped because the expectation is for other modes or versions
	Breaches     []Breach // what broke the rule, as far as a slow host may have caused it; empty: it cannot have
	Uncertain    bool     // the clocks, or an API server that answered late, leave open on which side of a limit a duration is
	// Excused has, for each breach, the longest wait for a processor that excuses it; the finding is then inconclusive instead of a
	// failure. Retry says what another recording needs to tell more.
	Excused []timeline.Wait
	Retry   Retry
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
