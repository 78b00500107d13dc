package verdict_test

import (
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

func TestOutOfScope(t *testing.T) {
	fails := verdict.MaxPods(2)
	const tooMany = "3 pods at once, terminating ones included, at most 2 allowed (first at: 0.600 s)"
	for _, row := range []struct {
		sentence string
		expect   evidence.Expectation
		want     verdict.Outcome
		because  string
	}{
		{"in this mode", fails.In("nftables").In("iptables"), verdict.Fail,
			tooMany},
		{"in another mode", fails.In("ipvs"), verdict.Skipped, "expected in mode ipvs only, this is nftables"},
		{"since this version", fails.Since("1.36"), verdict.Fail, tooMany},
		{"since a later version", fails.Since("1.37"), verdict.Skipped, "expected since Kubernetes 1.37, this is v1.36.3"},
		{"before this version", fails.Before("1.36"), verdict.Skipped, "expected before Kubernetes 1.36, this is v1.36.3"},
		{"before a later version", fails.Before("1.100"), verdict.Fail, tooMany},
		{"since a patch before this one", fails.Since("1.36.3"), verdict.Fail,
			tooMany},
		{"since a later patch", fails.Since("1.36.10"), verdict.Skipped, "expected since Kubernetes 1.36.10, this is v1.36.3"},
		{"before a later patch", fails.Before("1.36.4"), verdict.Fail,
			tooMany},
		{"before this patch", fails.Before("1.36.3"), verdict.Skipped, "expected before Kubernetes 1.36.3, this is v1.36.3"},
		{"since no version at all", fails.Since("soon"), verdict.Inconclusive, `version "soon" of Kubernetes cannot be read`},
		{"about rules where there are some to read", verdict.MaxRuleLag(time.Second), verdict.Inconclusive, "the rules of 0 nodes were observed"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			ev := rollout(verdict.NoFailures(), row.expect)
			ev.Run.Mode, ev.Run.Kubernetes = "nftables", "v1.36.3"
			v := judge(t, ev)
			if f := v.Findings[1]; f.Outcome != row.want || f.Because != row.because || f.Claim == "" {
				t.Errorf("got %s: %q, want %s: %q", f.Outcome, f.Because, row.want, row.because)
			}
			want := row.want
			if want == verdict.Skipped {
				want = verdict.Pass // by the other rule
			}
			if v.Outcome != want {
				t.Errorf("the verdict is %s, want %s", v.Outcome, want)
			}
		})
	}
	seen := rollout(fails.In("ipvs"))
	seen.Run.Mode, seen.Run.ObservedMode = "unknown", "ipvs"
	if v := judge(t, seen); v.Outcome != verdict.Fail {
		t.Errorf("in a mode that only the observers found: %s: %q", v.Outcome, v.Because)
	}
	ev := rollout(fails.In("ipvs"))
	if v := judge(t, ev); v.Outcome != verdict.Inconclusive || v.Because != "0 of 1 rules are for this cluster, so nothing was judged" {
		t.Errorf("with no rule left: %s: %q", v.Outcome, v.Because)
	}
}

func TestOtherRelease(t *testing.T) {
	later, any := verdict.MaxPods(2).Since("1.33"), verdict.NoFailures()
	for _, row := range []struct {
		sentence, version string
		expect            []evidence.Expectation
		want              string
	}{
		{"all are for later ones", "v1.30.5", []evidence.Expectation{later, later}, "expected since Kubernetes 1.33, this is v1.30.5"},
		{"one is for any", "v1.30.5", []evidence.Expectation{later, any}, ""},
		{"all are for this one", "v1.33.0", []evidence.Expectation{later}, ""},
		{"the version cannot be read", "unknown", []evidence.Expectation{later}, ""},
		{"nothing is expected", "v1.30.5", nil, ""},
	} {
		if got := verdict.OtherRelease(row.expect, row.version); got != row.want {
			t.Errorf("%s: %q, want %q", row.sentence, got, row.want)
		}
	}
}
