package mutants

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rollcall/harness/verdict"
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
