package verdict

import (
	"slices"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
)

// needs are what of a recording a rule goes by. The zero needs are nothing.
type needs struct {
	subjects []evidence.Subject
	marks    []evidence.EventKind // that its judgement counts from or to, beside those of the expectation
	bounded  bool                 // the load has to have lasted from its begin to beyond the end of the rollout
}

// underLoad are those of a rule about what clients saw, or did not see, of the whole rollout.
func underLoad(subjects ...evidence.Subject) needs { return needs{subjects: subjects, bounded: true} }

// sinceBegin are those of a rule that counts from the rollout's begin on.
func sinceBegin(subjects ...evidence.Subject) needs {
	return needs{subjects: subjects, marks: []evidence.EventKind{evidence.RolloutBegun}}
}

// seeing are those of a rule that counts from no mark but its own and those of the expectation.
func seeing(subjects ...evidence.Subject) needs { return needs{subjects: subjects} }

// ofRollout are those of a rule about pods between the rollout's begin and its end.
var ofRollout = needs{subjects: []evidence.Subject{evidence.AboutAPI}, marks: []evidence.EventKind{evidence.RolloutBegun, evidence.OldGone}}

// untilLoadEnded are those of a rule that counts from the expectation's mark to the end of the load.
func untilLoadEnded(subject evidence.Subject) needs {
	return needs{subjects: []evidence.Subject{subject}, marks: []evidence.EventKind{evidence.LoadEnded}}
}

// tellsOf is what tells of an event, or of when a mark came.
func tellsOf(kind evidence.EventKind) []evidence.Subject {
	switch kind {
	case evidence.PodStarted, evidence.PodListening, evidence.PodSigterm, evidence.PodDraining, evidence.PodExited,
		evidence.PodKilled:
		return []evidence.Subject{evidence.AboutPodSteps}
	case evidence.RulesBegun, evidence.RuleAdded, evidence.RuleGone, evidence.RulesSynced, evidence.RulesFailed:
		return []evidence.Subject{evidence.AboutNodeRules}
	case evidence.Barrier:
		return []evidence.Subject{evidence.AboutMarks, evidence.AboutNodeRules}
	case evidence.StatusDone, evidence.OldGone:
		return []evidence.Subject{evidence.AboutMarks}
	case "", evidence.LoadBegun, evidence.RolloutBegun, evidence.LoadEnded, evidence.DisruptionBegun, evidence.DisruptionUndone,
		evidence.ClusterWhole: // noted by who did it
		return nil
	default:
		return []evidence.Subject{evidence.AboutAPI}
	}
}

// needsOf is what the rule needs to judge an expectation.
func (r Rule) needsOf(x Expectation, tl timeline.Timeline) needs {
	n := r.needs
	n.subjects = slices.Concat(n.subjects, tellsOf(x.From), tellsOf(x.To))
	n.marks = slices.Concat(n.marks, r.marks, []evidence.EventKind{x.From, x.To})
	if n.bounded {
		n.marks = append(n.marks, tl.PhaseMarks()...)
	}
	return n
}
