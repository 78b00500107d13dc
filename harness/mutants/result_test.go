package mutants

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/verdict"
)

func TestJudged(t *testing.T) {
	m := Mutant{ID: "m", Want: verdict.Fail, Cause: "no-failures"}
	found := func(outcome verdict.Outcome, rules ...string) (v verdict.Verdict) {
		v.Outcome = outcome
		for _, rule := range rules {
			v.Findings = append(v.Findings, verdict.Finding{Rule: rule, Outcome: outcome})
		}
		return v
	}
	retried := Mutant{ID: "m", Want: verdict.Pass, Cause: Retry}
	for _, row := range []struct {
		sentence   string
		mutant     Mutant
		v          verdict.Verdict
		recordings int
		got        string
		killed     bool
	}{
		{"the outcome by the cause", m, found(verdict.Fail, "serves", "no-failures"), 1, "fail: no-failures, serves", true},
		{"the outcome by another cause", m, found(verdict.Fail, "serves"), 1, "fail: serves", false},
		{"another outcome", m, found(verdict.Pass, "no-failures"), 1, "pass", false},
		{"a second recording", retried, found(verdict.Pass, "no-failures"), 2, "pass: retry", true},
		{"no second recording", retried, found(verdict.Pass, "no-failures"), 1, "pass", false},
	} {
		r := row.mutant.Judged("iptables", row.v, row.recordings)
		if r.Got != row.got || r.Killed != row.killed {
			t.Errorf("%s: %q, killed %v", row.sentence, r.Got, r.Killed)
		}
	}
}

func TestMerge(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mutants.json")
	first, second := All()[0].ID, All()[1].ID
	write := func(results ...Result) []Result {
		t.Helper()
		all, err := Merge(file, results)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	write(Result{Mutant: second, Mode: "iptables"}, Result{Mutant: first, Mode: "iptables"},
		Result{Mutant: "no-longer-there", Mode: "iptables"})
	all := write(Result{Mutant: second, Mode: "iptables", Killed: true, Commit: "c1", Kubernetes: "v1"},
		Result{Mutant: first, Mode: "nftables"})
	want := []Result{{Mutant: first, Mode: "iptables"}, {Mutant: second, Mode: "iptables", Killed: true, Commit: "c1", Kubernetes: "v1"},
		{Mutant: first, Mode: "nftables"}}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := Survivors(all); n != 2 {
		t.Errorf("%d survivors", n)
	}
	survived := write(Result{Mutant: second, Mode: "iptables"})[1]
	if want := (Result{Mutant: second, Mode: "iptables", Commit: "c1", Kubernetes: "v1"}); survived != want {
		t.Errorf("one that survives where it was killed before: %+v", survived)
	}
}

func TestTrackEntry(t *testing.T) {
	const cause = "nodes that follow"
	bug := evidence.Bug{Issue: 7, Component: "kubelet", Affected: []evidence.Releases{{Before: "1.37.0"}}, Fixed: "1.37.0",
		Rule: "fact", Fact: cause}
	run := evidence.Run{Scenario: "s", Mode: "nftables", Kubernetes: "v1.37.2", ComponentVersions: []string{"v1.35.3"}, Bug: &bug,
		Expect:         []evidence.Expectation{verdict.Fact(cause, "3"), verdict.Fact("lost", "0")},
		ClusterChanges: []string{"kubelet v1.35.3", "kubelet with Gate=true"}}
	failed := verdict.Verdict{Outcome: verdict.Fail, Bug: verdict.Affected, BugKnown: true, Because: "both",
		Findings: []verdict.Finding{{Outcome: verdict.Fail, Because: "2 follow"}, {Outcome: verdict.Fail, Because: "9 lost"}}}
	for _, row := range []struct {
		sentence string
		run      func(evidence.Run) evidence.Run
		verdict  func(verdict.Verdict) verdict.Verdict
		affected bool
		want     TrackEntry
	}{
		{"a version with the bug fails by its mechanism", nil, nil, true,
			TrackEntry{"k/k#7", "s", "nftables", "kubelet", "v1.35.3 with Gate=true", true, "fail", "2 follow", 1.5, true, 1, 1}},
		{"a version without it must not", nil, nil, false,
			TrackEntry{"k/k#7", "s", "nftables", "kubelet", "v1.35.3 with Gate=true", false, "fail", "2 follow", 1.5, false, 1, 0}},
		{"a failure by something else is not right", nil, func(v verdict.Verdict) verdict.Verdict {
			v.Bug, v.Findings[0].Outcome = verdict.CannotTell, verdict.Pass
			return v
		}, true, TrackEntry{"k/k#7", "s", "nftables", "kubelet", "v1.35.3 with Gate=true", true, "fail", "both", 1.5, false, 1, 0}},
		{"a version without it passes", func(r evidence.Run) evidence.Run {
			r.ClusterChanges, r.ComponentVersions = nil, []string{"v1.37.2"}
			return r
		}, func(verdict.Verdict) verdict.Verdict {
			return verdict.Verdict{Outcome: verdict.Pass, Bug: verdict.NotAffected, Because: "all hold"}
		}, false, TrackEntry{"k/k#7", "s", "nftables", "kubelet", "v1.37.2", false, "pass", "", 1.5, true, 1, 1}},
	} {
		run, v := run, failed
		v.Findings = append([]verdict.Finding{}, failed.Findings...)
		if row.run != nil {
			run = row.run(run)
		}
		if row.verdict != nil {
			v = row.verdict(v)
		}
		if diff := cmp.Diff(row.want, NewTrackEntry(run, v, row.affected, 1500*time.Millisecond)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.sentence, diff)
		}
	}
}

func TestSeveralTriesOfAnEntry(t *testing.T) {
	right := TrackEntry{Outcome: "fail", Cause: "its own", Right: true, Tries: 1, RightTries: 1}
	wrong := TrackEntry{Outcome: "inconclusive", Cause: "a slow host", Tries: 1}
	for _, row := range []struct {
		sentence string
		tries    []TrackEntry
		want     TrackEntry
	}{
		{"all are right", []TrackEntry{right, right}, TrackEntry{Outcome: "fail", Cause: "its own", Right: true, Tries: 2, RightTries: 2}},
		{"one is not", []TrackEntry{right, wrong, right}, TrackEntry{Outcome: "fail", Cause: "its own", Right: true, Tries: 3, RightTries: 2}},
		{"the last is not", []TrackEntry{right, wrong}, TrackEntry{Outcome: "fail", Cause: "its own", Right: true, Tries: 2, RightTries: 1}},
		{"none is", []TrackEntry{wrong, wrong}, TrackEntry{Outcome: "inconclusive", Cause: "a slow host", Tries: 2}},
	} {
		var got TrackEntry
		for _, e := range row.tries {
			got = e.After(got)
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.sentence, diff)
		}
	}
}

func TestTrackRecord(t *testing.T) {
	with := TrackEntry{Bug: "k/k#7", Scenario: "s", Mode: "nftables", Component: "kubelet", Version: "v1.35.3", Affected: true,
		Outcome: "fail", Cause: "2 | 3", Seconds: 9, Right: true, Tries: 5, RightTries: 5}
	without := TrackEntry{Bug: "k/k#7", Scenario: "s", Mode: "nftables", Component: "kubelet", Version: "v1.37.2", Outcome: "pass",
		Seconds: 8, Right: true}
	wrong := without
	wrong.Outcome, wrong.Right = "inconclusive", false
	elsewhere := without
	elsewhere.Mode = "iptables"
	r := TrackRecord{}.With(with).With(wrong).With(elsewhere)
	if !strings.Contains(r.Table(), "**inconclusive**") {
		t.Errorf("what is wrong does not stand out:\n%s", r.Table())
	}
	r = r.With(without)
	const want = `| bug | component | mode | affected: version, outcome and cause | tries | red | s | fixed: version, outcome | s |
|---|---|---|---|---|---|---|---|---|
| [k/k#7](https://github.com/kubernetes/kubernetes/issues/7) s | kubelet | iptables | – | – | – | – | v1.37.2: pass | 8 |
| [k/k#7](https://github.com/kubernetes/kubernetes/issues/7) s | kubelet | nftables | v1.35.3: fail: 2 / 3 | 5 | 5 | 9 | v1.37.2: pass | 8 |
`
	if diff := cmp.Diff(want, r.Table()); diff != "" || len(r) != 3 {
		t.Errorf("%d entries:\n%s", len(r), diff)
	}
	file := filepath.Join(t.TempDir(), "record.json")
	if got, err := ReadTrackRecord(file); len(got) != 0 || err != nil {
		t.Errorf("of no file: %v, %v", got, err)
	}
	if err := store.WriteJSON(file, r); err != nil {
		t.Fatal(err)
	}
	got, err := ReadTrackRecord(file)
	if diff := cmp.Diff(r, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}
