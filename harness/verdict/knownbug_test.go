package verdict_test

import (
	"strings"
	"testing"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
)

func TestBugAnswers(t *testing.T) {
	const cause = "nodes whose rules followed"
	bug := evidence.Bug{Issue: 139515, Component: "kube-proxy", Modes: []string{"nftables"},
		Affected: []evidence.Releases{{Before: "1.34.5"}, {Since: "1.35.0", Before: "1.36.0"}, {Since: "1.36.3", Before: "1.37.0"},
			{Since: "1.37.0", Setting: "kube-proxy with Old=true"}},
		Fixed: "1.37.0", Rule: "fact", Fact: cause}
	facts := func(followed, lost string) []evidence.Event {
		return []evidence.Event{{Kind: evidence.Fact, Object: cause, Detail: followed},
			{Kind: evidence.Fact, Object: "requests lost", Detail: lost}}
	}
	for _, row := range []struct {
		sentence string
		edit     func(*evidence.Evidence)
		outcome  verdict.Outcome
		bug      verdict.BugAnswer
		known    bool
		because  string // begins with it
	}{
		{"everything is right", func(*evidence.Evidence) {}, verdict.Pass, verdict.NotAffected, false, ""},
		{"everything is right on a version that is known to have it",
			func(ev *evidence.Evidence) { ev.Run.ComponentVersions = []string{"v1.35.3"} }, verdict.Pass, verdict.NotAffected, true, ""},
		{"the mechanism fails on a version that has it", func(ev *evidence.Evidence) {
			ev.Run.ComponentVersions, ev.Events = []string{"v1.35.3"}, facts("0", "9")
		}, verdict.Fail, verdict.Affected, true, "known bug k/k#139515, fixed in 1.36.0: "},
		{"a version that a patch release mends", func(ev *evidence.Evidence) {
			ev.Run.ComponentVersions, ev.Events = []string{"v1.34.1"}, facts("0", "9")
		}, verdict.Fail, verdict.Affected, true, "known bug k/k#139515, fixed in 1.34.5: "},
		{"a cluster without kube-proxy has none of its bugs", func(ev *evidence.Evidence) {
			ev.Run.Mode, ev.Run.Kubernetes, ev.Run.Skipped = "none", "v1.35.3", "there is none"
		}, verdict.Skipped, verdict.CannotTell, false, "there is none"},
		{"one node of three has such a version", func(ev *evidence.Evidence) {
			ev.Run.ComponentVersions, ev.Events = []string{"v1.35.3", "v1.37.2"}, facts("0", "9")
		}, verdict.Fail, verdict.Affected, true, "known bug"},
		{"a version between two that have it", func(ev *evidence.Evidence) {
			ev.Run.ComponentVersions, ev.Events = []string{"v1.36.1"}, facts("0", "9")
		}, verdict.Fail, verdict.Affected, false, "as in k/k#139515, which kube-proxy v1.36.1 is not known to have: "},
		{"the version was not found out: it is the API server's", func(ev *evidence.Evidence) {
			ev.Run.Kubernetes, ev.Events = "v1.36.4", facts("0", "9")
		}, verdict.Fail, verdict.Affected, true, "known bug"},
		{"a setting that gives it to a later version", func(ev *evidence.Evidence) {
			ev.Run.ClusterChanges, ev.Events = []string{"kube-proxy with Old=true"}, facts("0", "0")
		}, verdict.Fail, verdict.Affected, true, "known bug"},
		{"a mode that does not have it", func(ev *evidence.Evidence) {
			ev.Run.Mode, ev.Run.ComponentVersions, ev.Events = "iptables", []string{"v1.35.3"}, facts("0", "9")
		}, verdict.Fail, verdict.Affected, false, "as in"},
		{"requests are lost by something else", func(ev *evidence.Evidence) {
			ev.Run.ComponentVersions, ev.Events = []string{"v1.35.3"}, facts("3", "9")
		}, verdict.Fail, verdict.CannotTell, true, "requests lost: 9"},
		{"it was not found out", func(ev *evidence.Evidence) { ev.Events = nil }, verdict.Inconclusive, verdict.CannotTell, false, ""},
		{"it was skipped", func(ev *evidence.Evidence) { ev.Run.Skipped = "not ours to change" }, verdict.Skipped, verdict.CannotTell, false,
			"not ours to change"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			ev := evidence.Evidence{Events: facts("3", "0"), Run: evidence.Run{
				Unloaded: true, Kubernetes: "v1.37.2", Mode: "nftables", Attempt: 1, Tries: 1, Bug: &bug,
				Expect: []evidence.Expectation{verdict.Fact(cause, "3"), verdict.Fact("requests lost", "0")},
			}}
			row.edit(&ev)
			tl, err := timeline.Join(ev)
			if err != nil {
				t.Fatal(err)
			}
			v := verdict.Judge(ev.Run, tl)
			if v.Outcome != row.outcome || v.Bug != row.bug || v.BugKnown != row.known || !strings.HasPrefix(v.Because, row.because) {
				t.Errorf("%s, %q, known %v: %s", v.Outcome, v.Bug, v.BugKnown, v.Because)
			}
			if row.bug == verdict.Affected && !strings.Contains(v.Headline, "#139515") {
				t.Errorf("headline %q", v.Headline)
			}
			checkTexts(t, v)
		})
	}
}
