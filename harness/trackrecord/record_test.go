package trackrecord

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rollcall/harness/evidence"
	"rollcall/harness/verdict"
	"rollcall/suites/regressions"
)

var update = flag.Bool("update", false, "rewrite the table of suites/regressions/README.md, with what is in out/track-record.json")

const begin, end = "<!-- track record -->\n", "<!-- end of track record -->\n"

// With -update the table of the guide becomes that of `make track-record`, if that has run every scenario in both modes; it always has
// both sides of each, and all of them right.
func TestReadme(t *testing.T) {
	const file = "../../suites/regressions/README.md"
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begun := strings.Cut(string(page), begin)
	table, after, ended := strings.Cut(rest, end)
	if !begun || !ended {
		t.Fatalf("%s has no markers of a track record", file)
	}
	if *update {
		record, err := Read(filepath.Join("..", "..", "out", "track-record.json"))
		if err != nil {
			t.Fatal(err)
		}
		if missing := missing(record.Table()); len(missing) > 0 {
			t.Skipf("the guide stays as it is, since not all was run: %s", strings.Join(missing, ", "))
		}
		table = record.Table()
		if err := os.WriteFile(file, []byte(before+begin+table+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if strings.Contains(table, "**") || strings.Contains(table, "–") {
		t.Errorf("the table has what is not right, or was not run:\n%s", table)
	}
	if missing := missing(table); len(missing) > 0 {
		t.Errorf("the table has no %s", strings.Join(missing, ", nor "))
	}
}

// missing are the scenarios that a table lacks, with their modes.
func missing(table string) (missing []string) {
	for _, s := range regressions.All() {
		for _, mode := range []string{"iptables", "nftables"} {
			shows := len(s.Bug.Modes) == 0 || slices.Contains(s.Bug.Modes, mode)
			if shows && !strings.Contains(table, fmt.Sprintf(") %s | %s | %s | ", s.ID, s.Bug.Component, mode)) {
				missing = append(missing, s.ID+" in mode "+mode)
			}
		}
	}
	return missing
}

func TestEntry(t *testing.T) {
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
		want     Entry
	}{
		{"a version with the bug fails by its mechanism", nil, nil, true,
			Entry{"k/k#7", "s", "nftables", "kubelet", "v1.35.3 with Gate=true", true, "fail", "2 follow", 1.5, true}},
		{"a version without it must not", nil, nil, false,
			Entry{"k/k#7", "s", "nftables", "kubelet", "v1.35.3 with Gate=true", false, "fail", "2 follow", 1.5, false}},
		{"a failure by something else is not right", nil, func(v verdict.Verdict) verdict.Verdict {
			v.Bug, v.Findings[0].Outcome = verdict.CannotTell, verdict.Pass
			return v
		}, true, Entry{"k/k#7", "s", "nftables", "kubelet", "v1.35.3 with Gate=true", true, "fail", "both", 1.5, false}},
		{"a version without it passes", func(r evidence.Run) evidence.Run {
			r.ClusterChanges, r.ComponentVersions = nil, []string{"v1.37.2"}
			return r
		}, func(verdict.Verdict) verdict.Verdict {
			return verdict.Verdict{Outcome: verdict.Pass, Bug: verdict.NotAffected, Because: "all hold"}
		}, false, Entry{"k/k#7", "s", "nftables", "kubelet", "v1.37.2", false, "pass", "", 1.5, true}},
	} {
		run, v := run, failed
		v.Findings = append([]verdict.Finding{}, failed.Findings...)
		if row.run != nil {
			run = row.run(run)
		}
		if row.verdict != nil {
			v = row.verdict(v)
		}
		if diff := cmp.Diff(row.want, NewEntry(run, v, row.affected, 1500*time.Millisecond)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.sentence, diff)
		}
	}
}

func TestRecord(t *testing.T) {
	with := Entry{Bug: "k/k#7", Scenario: "s", Mode: "nftables", Component: "kubelet", Version: "v1.35.3", Affected: true, Outcome: "fail",
		Cause: "2 | 3", Seconds: 9, Right: true}
	without := Entry{Bug: "k/k#7", Scenario: "s", Mode: "nftables", Component: "kubelet", Version: "v1.37.2", Outcome: "pass",
		Seconds: 8, Right: true}
	wrong := without
	wrong.Outcome, wrong.Right = "inconclusive", false
	elsewhere := without
	elsewhere.Mode = "iptables"
	r := Record{}.With(with).With(wrong).With(elsewhere)
	if !strings.Contains(r.Table(), "**inconclusive**") {
		t.Errorf("what is wrong does not stand out:\n%s", r.Table())
	}
	r = r.With(without)
	const want = `| bug | component | mode | affected: version, outcome and cause | s | fixed: version, outcome | s |
|---|---|---|---|---|---|---|
| [k/k#7](https://github.com/kubernetes/kubernetes/issues/7) s | kubelet | iptables | – | – | v1.37.2: pass | 8 |
| [k/k#7](https://github.com/kubernetes/kubernetes/issues/7) s | kubelet | nftables | v1.35.3: fail: 2 / 3 | 9 | v1.37.2: pass | 8 |
`
	if diff := cmp.Diff(want, r.Table()); diff != "" || len(r) != 3 {
		t.Errorf("%d entries:\n%s", len(r), diff)
	}
	file := filepath.Join(t.TempDir(), "record.json")
	if got, err := Read(file); len(got) != 0 || err != nil {
		t.Errorf("of no file: %v, %v", got, err)
	}
	if err := r.Write(file); err != nil {
		t.Fatal(err)
	}
	got, err := Read(file)
	if diff := cmp.Diff(r, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}
