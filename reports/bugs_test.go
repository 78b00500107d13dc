package reports_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/model"
)

func TestWhatIsSaidOfABug(t *testing.T) {
	const (
		name    = "nftables  drained\n"
		assumed = "the version was not found out: it is the API server's"
	)
	lose := func(r *recording) { fail(r, "worker-fresh", evidence.Refused, 60) }
	on := func(versions ...string) func(*recording) {
		return func(r *recording) { r.run.ComponentVersions = versions }
	}
	for _, row := range []struct {
		sentence string
		edits    []func(*recording)
		answer   verdict.BugAnswer
		known    bool
		versions []string
		line     string // the terminal's line, and the text below it
	}{
		{"requests are lost on a version that has it", []func(*recording){lose, on("v1.35.3")}, verdict.Affected, true, []string{"v1.35.3"},
			"affected (seen)  k/k#139515  kube-proxy  v1.35.3  fixed in 1.36.0  " + name},
		{"requests are lost on one that is not known to have it", []func(*recording){lose, on("v1.36.1")}, verdict.Affected, false,
			[]string{"v1.36.1"}, "affected (seen)  k/k#139515  kube-proxy  v1.36.1  " + name},
		{"the nodes have two versions", []func(*recording){lose, on("v1.35.3", "v1.36.1")}, verdict.Affected, true,
			[]string{"v1.35.3", "v1.36.1"}, "affected (seen)  k/k#139515  kube-proxy  v1.35.3, v1.36.1  fixed in 1.36.0  " + name},
		{"none is lost on a version that has it", []func(*recording){on("v1.35.3")}, verdict.NotAffected, true, []string{"v1.35.3"},
			"not affected (seen)  k/k#139515  kube-proxy  v1.35.3  " + name},
		{assumed, nil, verdict.NotAffected, false, []string{"v1.36.3"},
			"not affected (seen)  k/k#139515  kube-proxy  v1.36.3 (the API server's)  " + name},
		{"the recording is not to be trusted", []func(*recording){on("v1.35.3"), func(r *recording) {
			r.run.Reasons = []evidence.Reason{{ID: evidence.StageFailed, Because: "agent on worker2 restarted"}}
		}}, verdict.CannotTell, true, []string{"v1.35.3"},
			"cannot tell  k/k#139515  kube-proxy  v1.35.3  " + name +
				"    the recording cannot be trusted: agent on worker2 restarted; kube-proxy v1.35.3 is known to have it\n"},
		{"it was skipped, on a version that is not known to have it", []func(*recording){func(r *recording) {
			*r = recording{run: r.run}
			r.run.ComponentVersions, r.run.Skipped = []string{"v1.37.2"}, "the cluster is not ours to change"
		}}, verdict.CannotTell, false, []string{"v1.37.2"},
			"cannot tell  k/k#139515  kube-proxy  v1.37.2  " + name +
				"    the cluster is not ours to change; kube-proxy v1.37.2 is not known to have it\n"},
		{"it was skipped before anything was found out", []func(*recording){func(r *recording) {
			*r = recording{run: r.run}
			r.run.Kubernetes, r.run.Skipped = "", "the cluster is not ours to change"
		}}, verdict.CannotTell, false, nil,
			"cannot tell  k/k#139515  kube-proxy  " + name + "    the cluster is not ours to change\n"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			dir := emptyFolder(t)
			writeJSON(t, filepath.Join(dir, "evidence", "nftables", evidence.ClusterFile), evidence.Cluster{Mode: "nftables"})
			recorded := followed(rollout("nftables", "rollout", "drained", 1, []evidence.Expectation{verdict.NoFailures()}))
			recorded.run.Bug = oldBug()
			for _, edit := range row.edits {
				edit(&recorded)
			}
			record(t, dir, recorded)
			r, err := reports.Load(dir)
			if err != nil {
				t.Fatal(err)
			}
			fixed := "1.37.0"
			if row.known {
				fixed = "1.36.0" // of the releases that are affected
			}
			want := &model.Bug{Issue: "k/k#139515", URL: "https://github.com/kubernetes/kubernetes/issues/139515", Component: "kube-proxy",
				Versions: row.versions, Assumed: row.sentence == assumed, Known: row.known, Fixed: fixed, Answer: row.answer}
			if diff := cmp.Diff(want, r.Scenarios[0].Bug); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			section := "\n\nis this cluster affected by known bugs of Kubernetes?\n" + row.line + "\n"
			if text := printed(t, reports.Terminal, r); !strings.Contains(text, section) {
				t.Errorf("it does not say%s%s", section, text)
			}
			if err := violation(t, schemaOf(t, ""), reportOf(t, dir)); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestARunAboutNoBugSaysNothingOfBugs(t *testing.T) {
	unreadable := pairFolder(t)
	if err := os.Remove(filepath.Join(unreadable, "evidence", "iptables", "rollout", "drained", evidence.RunFile)); err != nil {
		t.Fatal(err)
	}
	for sentence, dir := range map[string]string{
		"no scenario": emptyFolder(t), "scenarios about none": pairFolder(t), "a recording that cannot be read": unreadable,
	} {
		r, err := reports.Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, write := range []reports.Writer{reports.Terminal, reports.Markdown, reports.JUnit, reports.JSON} {
			if text := printed(t, write, r); strings.Contains(text, "bug") {
				t.Errorf("%s:\n%s", sentence, text)
			}
		}
	}
}

func TestBugsThatWereSeenComeFirst(t *testing.T) {
	var r model.Report
	for _, mode := range []string{"iptables", "nftables"} {
		for _, bug := range []model.Bug{
			{Issue: "k/k#130001", Answer: verdict.CannotTell}, {Issue: "k/k#130004", Answer: verdict.Affected},
			{Issue: "k/k#130002", Answer: verdict.NotAffected}, {Issue: "k/k#130003", Answer: verdict.Affected},
		} {
			r.Scenarios = append(r.Scenarios, model.Scenario{Suite: "rollout", ID: "drained", Mode: mode, Bug: &bug})
		}
		r.Scenarios = append(r.Scenarios, model.Scenario{Suite: "rollout", ID: "undrained", Mode: mode})
	}
	var got []string
	for _, row := range reports.Bugs(r) {
		got = append(got, row.Bug.Issue[len("k/k#"):]+" "+row.Mode)
	}
	want := []string{"130003 iptables", "130003 nftables", "130004 iptables", "130004 nftables", "130002 iptables", "130002 nftables",
		"130001 iptables", "130001 nftables"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestLinesAboutBugsFitATerminal(t *testing.T) {
	long := strings.Repeat("long ", 40)
	text := printed(t, reports.Terminal, model.Report{Scenarios: []model.Scenario{
		{Suite: "regressions", ID: "affected", Mode: "nftables", Outcome: verdict.Skipped, Because: "nothing ran",
			Bug: &model.Bug{Issue: "k/k#139515", Component: long, Versions: []string{long}, Known: true, Fixed: "1.37.0", Answer: verdict.Affected}},
		{Suite: "regressions", ID: strings.Repeat("undecided-", 10), Mode: "iptables", Outcome: verdict.Skipped, Because: long,
			Bug: &model.Bug{Issue: "k/k#9", Component: "kube-controller-manager", Versions: []string{"v1.35.3"}, Answer: verdict.CannotTell}},
	}})
	_, section, _ := strings.Cut(text, "known bugs of Kubernetes?\n")
	for line := range strings.Lines(section) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 120 {
			t.Errorf("%d characters: %s", n, line)
		}
	}
	if !strings.HasPrefix(section, "affected (seen)  k/k#139515  long") || !strings.Contains(section, "\ncannot tell      k/k#9       kube") {
		t.Errorf("the columns are\n%s", section)
	}
}
