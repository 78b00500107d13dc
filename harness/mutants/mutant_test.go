package mutants

import (
	"regexp"
	"slices"
	"testing"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

func TestCatalogue(t *testing.T) {
	kebab := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	seen := map[string]bool{}
	for _, m := range All() {
		if !kebab.MatchString(m.ID) || seen[m.ID] {
			t.Errorf("id %q is not in kebab case, or used twice", m.ID)
		}
		seen[m.ID] = true
		if _, err := m.Scenario(); err != nil {
			t.Error(err)
		}
		if m.Damages == "" || m.Cause == "" || m.Want == verdict.Skipped {
			t.Errorf("%s does not say what it damages, what follows or why", m.ID)
		}
		if m.Change == nil && m.Do == nil {
			t.Errorf("%s damages nothing", m.ID)
		}
		if (m.Cause == Retry) != m.Once {
			t.Errorf("%s: a first recording alone is damaged where a retry is to follow", m.ID)
		}
	}
}

// A mutant whose cause is a rule damages a scenario that expects the rule.
func TestCauseIsExpected(t *testing.T) {
	for _, m := range All() {
		s, err := m.Scenario()
		if err != nil || !slices.ContainsFunc(verdict.Rules(), func(r verdict.Rule) bool { return r.ID == m.Cause }) {
			continue
		}
		if !slices.ContainsFunc(s.Expect, func(x evidence.Expectation) bool { return x.Rule == m.Cause }) {
			t.Errorf("%s: %s does not expect %s", m.ID, m.Of, m.Cause)
		}
	}
}
