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
	lanes       []string // of these
}

func ask(r Rule, x Expectation, run evidence.Run, tl timeline.Timeline) ruling {
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

// lacks reports whether something may have been missed that the rule goes by.
func (q ruling) lacks(s evidence.Scope) bool {
	if s.Everything() {
		return true
	}
	return q.takes(s, s.Missed) || slices.ContainsFunc(s.Marks, func(m evidence.EventKind) bool { return slices.Contains(q.needs.marks, m) })
}

// doubts reports whether something that was recorded may be wrong that the rule goes by.
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

// unknown reports whether a reason leaves unknown what the rule found.
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

// withoutDoubted judges again by those lanes and nodes alone that no reason doubts: what was seen there stays seen. It is absent
// where something is doubted that is of no lane or node.
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

// find is what the rule finds in a timeline, all of which can be trusted.
func (q ruling) find(tl timeline.Timeline) Finding {
	f := q.onEmulated(excuse(q.rule.find(q.expectation, q.run, tl), tl))
	f.Rule, f.Claim, f.Decides = q.rule.ID, q.rule.Claim, q.expectation.Claims
	f.Precondition = IsPrecondition(q.expectation)
	if f.Outcome != Skipped {
		f.Evidence = cmp.Or(f.Evidence, q.rule.evidence(q.expectation))
	}
	f.Headline, f.Facts = phrase.Headline(f.Headline, f.Because), known(f.Facts...)
	return f
}

// known is the finding if it is certain in spite of the reasons, or by what remains; else what it would have been. It notes the
// rule at the reasons that make it unknown.
func (q ruling) known(f Finding, reasons []Reason, tl timeline.Timeline, measures bool) Finding {
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
