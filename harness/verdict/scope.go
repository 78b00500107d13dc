package verdict

import (
	"cmp"
	"fmt"
	"slices"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
)

// A ruling is an expectation, the rule that judges it, and what of the recording the rule goes by.
type ruling struct {
	rule        Rule
	expectation Expectation
	run         evidence.Run
	needs       needs
	looksAt     Lanes
	lanes       []string // ids of the lanes it looks at
}

func newRuling(r Rule, x Expectation, run evidence.Run, tl timeline.Timeline) ruling {
	by, as := r, x
	if _, lacking := r.lacking(x, run); lacking {
		by, as, _ = r.substitute(x, run, tl)
	}
	q := ruling{rule: r, expectation: x, run: run, needs: by.needsOf(as, tl), looksAt: by.Lanes}
	for _, lane := range by.Lanes.of(as, tl) {
		q.lanes = append(q.lanes, lane.ID)
	}
	return q
}

// lacks reports whether something that the rule uses may have been missed.
func (q ruling) lacks(s evidence.Scope) bool {
	if s.Everything() {
		return true
	}
	return q.takes(s, s.Missed) || slices.ContainsFunc(s.Marks, func(m evidence.EventKind) bool { return slices.Contains(q.needs.marks, m) })
}

// doubts reports whether something recorded that the rule uses may be wrong.
func (q ruling) doubts(s evidence.Scope) bool { return q.takes(s, s.Doubted) }

func (q ruling) takes(s evidence.Scope, subjects []evidence.Subject) bool {
	return slices.ContainsFunc(subjects, func(subject evidence.Subject) bool {
		if !slices.Contains(q.needs.subjects, subject) {
			return false
		}
		ofClients := slices.Contains(evidence.Requests(), subject) || subject == evidence.AboutArrivals
		if !ofClients || len(s.Lanes) == 0 || q.looksAt == NoLanes {
			return true
		}
		return slices.ContainsFunc(s.Lanes, func(lane string) bool { return slices.Contains(q.lanes, lane) })
	})
}

// unknown reports whether a reason makes a finding unknown.
func (q ruling) unknown(r Reason, f Finding) bool {
	switch f.Grounds {
	case Seen:
		return q.doubts(r.Scope)
	case Unseen:
		return q.lacks(r.Scope)
	default:
		return q.lacks(r.Scope) || q.doubts(r.Scope)
	}
}

// withoutDoubted judges again without the lanes and nodes that a reason doubts: what was seen elsewhere stays seen. It is absent
// if a reason doubts something for all lanes or nodes.
func (q ruling) withoutDoubted(reasons []Reason, f Finding, tl timeline.Timeline) (again Finding, ok bool) {
	var lanes, nodes []string
	for _, r := range reasons {
		for _, subject := range r.Scope.Doubted {
			var of []string
			switch {
			case !q.takes(r.Scope, []evidence.Subject{subject}):
				continue
			case slices.Contains(evidence.Requests(), subject) || subject == evidence.AboutArrivals:
				of, lanes = r.Scope.Lanes, append(lanes, r.Scope.Lanes...)
			case subject == evidence.AboutNodeRules:
				of, nodes = r.Scope.Nodes, append(nodes, r.Scope.Nodes...)
			}
			if len(of) == 0 {
				return f, false
			}
		}
	}
	again = q.find(tl.Without(lanes, nodes))
	return again, again.Grounds == Seen && again.Outcome == f.Outcome
}

// find judges the expectation as if all of the timeline could be trusted.
func (q ruling) find(tl timeline.Timeline) Finding {
	f := q.onEmulated(excuse(q.rule.find(q.expectation, q.run, tl), tl))
	f.Breaches = nil
	f.Rule, f.Claim, f.Decides, f.Stretch = q.rule.ID, q.rule.Claim, q.expectation.Claims, q.expectation.Stretch
	f.Precondition = IsPrecondition(q.expectation)
	if f.Outcome != Skipped {
		f.Evidence = cmp.Or(f.Evidence, q.rule.evidence(q.expectation))
	}
	f.Headline, f.Facts = phrase.Headline(f.Headline, f.Because), withoutEmpty(f.Facts...)
	return f
}

// unlessInDoubt returns the finding if it is certain in spite of the reasons, or without what they doubt; else an inconclusive one that
// says what it would have been. It adds the rule to the reasons that make it unknown.
func (q ruling) unlessInDoubt(f Finding, reasons []Reason, tl timeline.Timeline, measures bool) Finding {
	if f.Outcome == Skipped {
		return f
	}
	var unknown []*Reason
	certain := f
	for i, r := range reasons {
		switch {
		case !measures && !q.unknown(r, f):
		case !measures && q.unexplained(r, f, tl):
			certain.Because += "; this explains fewer: " + r.Brief
		default:
			unknown = append(unknown, &reasons[i])
		}
	}
	f = certain
	if len(unknown) > 0 && f.Grounds == Seen && !measures {
		if again, ok := q.withoutDoubted(reasons, f, tl); ok {
			return again
		}
	}
	for _, r := range unknown {
		if !slices.Contains(r.Rules, f.Rule) {
			r.Rules = append(r.Rules, f.Rule)
		}
	}
	if len(unknown) == 0 || f.Outcome == Inconclusive {
		return f
	}
	f.Headline = phrase.Headline(fmt.Sprintf("would %s if the recording could be trusted: %s", f.Outcome, f.Headline))
	f.Because = fmt.Sprintf("would %s if the recording could be trusted: %s", f.Outcome, f.Because)
	f.Outcome = Inconclusive
	return f
}
