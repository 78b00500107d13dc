package verdict

import (
	"slices"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
)

// needs says which parts of a recording a rule uses. The zero value is none.
type needs struct {
	subjects []evidence.Subject
	marks    []evidence.EventKind // marks that it counts from or to, beside those of the expectation
	bounded  bool                 // the load has to last from its begin to beyond the end of the rollout
}

// underLoad returns the needs of a rule about what clients saw, or did not see, of the whole rollout.
func underLoad(subjects ...evidence.Subject) needs { return needs{subjects: subjects, bounded: true} }

// sinceBegin returns the needs of a rule that counts since the rollout began.
func sinceBegin(subjects ...evidence.Subject) needs {
	return needs{subjects: subjects, marks: []evidence.EventKind{evidence.RolloutBegun}}
}

// seeing returns the needs of a rule that counts from no marks but its own and those of the expectation.
func seeing(subjects ...evidence.Subject) needs { return needs{subjects: subjects} }

// ofRollout has the needs of a rule about pods between the begin and the end of the rollout.
var ofRollout = needs{subjects: []evidence.Subject{evidence.AboutAPI}, marks: []evidence.EventKind{evidence.RolloutBegun, evidence.OldGone}}

// untilLoadEnded returns the needs of a rule that counts from the expectation's mark to the end of the load.
func untilLoadEnded(subject evidence.Subject) needs {
	return needs{subjects: []evidence.Subject{subject}, marks: []evidence.EventKind{evidence.LoadEnded}}
}

// subjectsOf returns which parts of a recording show events of a kind, or when a mark came.
func subjectsOf(kind evidence.EventKind) []evidence.Subject {
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
		evidence.ClusterWhole: // marks of what the harness does itself
		return nil
	default:
		return []evidence.Subject{evidence.AboutAPI}
	}
}

// needsOf returns what the rule needs to judge an expectation.
func (r Rule) needsOf(x Expectation, tl timeline.Timeline) needs {
	n := r.needs
	n.subjects = slices.Concat(n.subjects, subjectsOf(x.From), subjectsOf(x.To))
	n.marks = slices.Concat(n.marks, r.marks, []evidence.EventKind{x.From, x.To})
	if n.bounded {
		n.marks = append(n.marks, tl.PhaseMarks()...)
	}
	return n
}
