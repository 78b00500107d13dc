package reports_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/model"
)

// What was not looked at stands in report.json, on the terminal, in JUnit and in the summary, with what to read about it.
func TestLimitsAreReported(t *testing.T) {
	dir, r := emptyFolder(t), cut("iptables")
	r.run.Limits = []evidence.Limit{{ID: evidence.CommandFailed, Text: "47 of 50 <nodes>"}}
	record(t, dir, r)
	report, err := reports.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []model.Limit{{ID: evidence.CommandFailed, Code: "RC4001", Text: "47 of 50 <nodes>"},
		{ID: evidence.CommandFailed, Code: "RC4001", Text: "the command failed with exit code 4: what it does after that was not seen"}}
	if diff := cmp.Diff(want, report.Scenarios[0].Limits); diff != "" {
		t.Errorf("limits (-want +got):\n%s", diff)
	}
	for _, of := range []struct {
		name, text, says string
	}{
		{"terminal", printed(t, reports.Terminal, report), "    limit: 47 of 50 <nodes>\n"},
		{"junit.xml", printed(t, reports.JUnit, report), `<property name="limit" value="RC4001 47 of 50 &lt;nodes&gt;">`},
		{"summary.md", printed(t, reports.Markdown, report),
			"## Not looked at\n\n- 47 of 50 &lt;nodes&gt; on iptables (disruption/node-cut); more: `rollcall explain RC4001`\n"},
	} {
		if !strings.Contains(of.text, of.says) {
			t.Errorf("%s lacks %q:\n%s", of.name, of.says, of.text)
		}
	}
	if err := violation(t, schemaOf(t, ""), reportOf(t, dir)); err != nil {
		t.Error(err)
	}
}

// How long clients awaited a reply is reported, where it was noted.
func TestTimeoutIsReported(t *testing.T) {
	for _, row := range []struct {
		sentence string
		timeout  time.Duration
		want     float64
	}{
		{"a recording that noted it", 3500 * time.Millisecond, 3500},
		{"one from before that", 0, 0},
	} {
		dir, r := emptyFolder(t), cut("iptables")
		r.run.Timeout = row.timeout
		record(t, dir, r)
		report, err := reports.Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		if got := report.Scenarios[0].Timeout; got != row.want {
			t.Errorf("%s: %v ms, want %v", row.sentence, got, row.want)
		}
		if err := violation(t, schemaOf(t, ""), reportOf(t, dir)); err != nil {
			t.Errorf("%s: %v", row.sentence, err)
		}
	}
}

// What all scenarios of a mode did not look at is printed once, and not below each of them.
func TestLimitsThatScenariosShare(t *testing.T) {
	shared := model.Limit{ID: evidence.NodesNotAsked, Code: "RC4006", Text: "clients on 3 of 50 nodes"}
	own := model.Limit{ID: evidence.RateLowered, Code: "RC4008", Text: "each client sent 6 requests per second"}
	scenario := func(mode, id string, limits ...model.Limit) model.Scenario {
		return model.Scenario{Suite: "rollout", ID: id, Mode: mode, Outcome: verdict.Pass, Limits: limits}
	}
	r := model.Report{Scenarios: []model.Scenario{scenario("iptables", "drained", shared), scenario("iptables", "one-by-one", shared, own),
		scenario("nftables", "drained", shared)}}
	for _, of := range []struct {
		name, text string
		says       []string
	}{
		{"terminal", printed(t, reports.Terminal, r), []string{"    limit: each client sent 6 requests per second\n",
			"    limit: clients on 3 of 50 nodes\n", "\nlimit of 2 scenarios in iptables: clients on 3 of 50 nodes\n"}},
		{"summary.md", printed(t, reports.Markdown, r), []string{
			"- clients on 3 of 50 nodes on iptables (rollout/drained, rollout/one-by-one); more: `rollcall explain RC4006`\n",
			"- clients on 3 of 50 nodes on nftables (rollout/drained); more: `rollcall explain RC4006`\n"}},
	} {
		for _, says := range of.says {
			if strings.Count(of.text, says) != 1 {
				t.Errorf("%s does not have once %q:\n%s", of.name, says, of.text)
			}
		}
	}
}
