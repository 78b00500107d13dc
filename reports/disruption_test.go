package reports_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/model"
)

// cut records that a node is cut off in the middle of a rollout, with lanes on this node, on another and outside.
func cut(mode string) recording {
	r := rollout(mode, "disruption", "node-cut", 1, []evidence.Expectation{verdict.NoFailures()})
	r.run.Disruption = &evidence.Disruption{ID: "node-cut", Does: "packets of a worker are dropped | 0.4 s", Nodes: []string{"worker"},
		Expects: []string{"node-unready"}}
	r.run.Lanes[1] = evidence.Lane{ID: "outside-fresh", Vantage: evidence.FromHost, Conn: evidence.Fresh, Rate: 100}
	fresh := slices.DeleteFunc(slices.Clone(r.hits), func(h evidence.Hit) bool { return h.Lane != "worker-fresh" })
	r.hits = slices.DeleteFunc(r.hits, func(h evidence.Hit) bool { return h.Lane == "host-reused" })
	for _, lane := range []evidence.Lane{r.run.Lanes[1],
		{ID: "worker-reused", Vantage: evidence.FromPod, Node: "worker", Conn: evidence.Reused, Rate: 100},
		{ID: "worker-plain", Vantage: evidence.FromPod, Node: "worker", Conn: evidence.Reused, Resends: true, Rate: 100},
		{ID: "worker2-fresh", Vantage: evidence.FromPod, Node: "worker2", Conn: evidence.Fresh, Rate: 100}} {
		if lane.Vantage != evidence.FromHost {
			r.run.Lanes = append(r.run.Lanes, lane)
		}
		for _, h := range fresh {
			h.Lane = lane.ID
			r.hits = append(r.hits, h)
		}
	}
	for _, node := range []string{"worker", "worker2"} {
		r.events = append(r.events, evidence.Event{Kind: evidence.NodeReady, Object: node})
	}
	r.events = append(r.events,
		evidence.Event{At: 510 * ms, Kind: evidence.DisruptionBegun, Detail: "node-cut"},
		evidence.Event{At: 520 * ms, Kind: evidence.Step, Object: "worker", Detail: "nft drop"},
		evidence.Event{At: 700 * ms, Kind: evidence.NodeUnready, Object: "worker"},
		evidence.Event{At: 890 * ms, Kind: evidence.Fact, Object: evidence.CommandExit, Detail: "4"},
		evidence.Event{At: 900 * ms, Kind: evidence.DisruptionUndone},
		evidence.Event{At: 950 * ms, Kind: evidence.NodeReady, Object: "worker"},
		evidence.Event{At: 1200 * ms, Kind: evidence.ClusterWhole})
	return r
}

// from lists the sequence numbers from first to before last.
func from(first, last uint64) (seqs []uint64) {
	for seq := first; seq < last; seq++ {
		seqs = append(seqs, seq)
	}
	return seqs
}

// disruptedFolder records a disruption in two modes, in one of which clients lose requests.
func disruptedFolder(t *testing.T) string {
	t.Helper()
	dir := emptyFolder(t)
	for _, mode := range []string{"iptables", "nftables"} {
		cluster := evidence.Cluster{Mode: mode, Features: []evidence.Feature{}}
		writeJSON(t, filepath.Join(dir, "evidence", mode, evidence.ClusterFile), cluster)
	}
	lossy := cut("iptables")
	fail(&lossy, "worker-fresh", evidence.Timeout, from(55, 80)...)
	fail(&lossy, "worker-reused", evidence.Reset, 56)
	fail(&lossy, "worker-plain", evidence.Reset, 56)
	fail(&lossy, "outside-fresh", evidence.Closed, from(195, 200)...)
	record(t, dir, lossy)
	record(t, dir, cut("nftables"))
	record(t, dir, rollout("nftables", "rollout", "drained", 1, []evidence.Expectation{verdict.NoFailures()}))
	return dir
}

func TestADisruptionIsReported(t *testing.T) {
	r, err := reports.Load(disruptedFolder(t))
	if err != nil {
		t.Fatal(err)
	}
	lossy, undisturbed := r.Scenarios[0], r.Scenarios[2]
	want := model.Scenario{
		Disruption: &model.Disruption{ID: "node-cut", Does: "packets of a worker are dropped | 0.4 s", Nodes: []string{"worker"},
			Begun: new(510.0), Undone: new(900.0), Whole: new(1200.0), CommandExit: new(4)},
		Steps: []model.Step{{At: 510, What: "node-cut"}, {At: 520, Node: "worker", What: "nft drop"},
			{At: 700, Node: "worker", What: "not ready"}, {At: 900, What: "undone"}, {At: 950, Node: "worker", What: "ready again"}},
		Outages: []model.Outage{
			{Lane: "worker-fresh", From: 560.25, Length: 250, Failed: 25, Step: "worker: nft drop", After: new(40.25),
				Spans: []string{"worker: not ready"}},
			{Lane: "outside-fresh", From: 1960.25, Length: 44.75, Failed: 5, Open: true, Step: "worker: ready again", After: new(1010.25)},
			{Lane: "worker-reused", From: 570.25, Length: 10, Failed: 1, Step: "worker: nft drop", After: new(50.25)},
			{Lane: "worker-plain", From: 570.25, Length: 10, Failed: 1, Step: "worker: nft drop", After: new(50.25)},
		},
	}
	got := model.Scenario{Disruption: lossy.Disruption, Steps: lossy.Steps, Outages: lossy.Outages}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("disruption (-want +got):\n%s", diff)
	}
	if whole := lossy.Numbers.Whole; whole == nil || *whole != 300 {
		t.Errorf("the cluster was whole after %v ms, want 300", whole)
	}
	if s := undisturbed; s.Disruption != nil || s.Steps != nil || s.Outages != nil || s.Numbers.Whole != nil {
		t.Errorf("a scenario without a disruption has %+v, %v and %v", s.Disruption, s.Steps, s.Outages)
	}
	if err := violation(t, schemaOf(t, ""), reportOf(t, disruptedFolder(t))); err != nil {
		t.Error(err)
	}
}

func TestADisruptionThatWasCutOffHasWhatWasSeen(t *testing.T) {
	dir, r := emptyFolder(t), cut("iptables")
	r.events = slices.DeleteFunc(r.events, func(e evidence.Event) bool {
		return e.Kind == evidence.DisruptionUndone || e.Kind == evidence.ClusterWhole
	})
	record(t, dir, r)
	report, err := reports.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if d := report.Scenarios[0].Disruption; d.Begun == nil || *d.Begun != 510 || d.Undone != nil || d.Whole != nil {
		t.Errorf("%+v", d)
	}
	if whole := report.Scenarios[0].Numbers.Whole; whole != nil {
		t.Errorf("the cluster was whole after %v", whole)
	}
}

// If it is not known where connections were routed, the report says so, with the reason.
func TestMissingFlowsAreReported(t *testing.T) {
	dir, r := emptyFolder(t), cut("iptables")
	const because = "it routes without connection tracking"
	r.run.Lacks = []evidence.Feature{{Name: evidence.FlowEvents, Because: because}}
	record(t, dir, r)
	report, err := reports.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := report.Scenarios[0].FlowsLack; got != because {
		t.Errorf("flows lack %q", got)
	}
	text, said := printed(t, reports.Terminal, report), "which pod each connection went to is not known: "+because
	if !strings.Contains(text, said) {
		t.Errorf("it does not say %q:\n%s", said, text)
	}
	if err := violation(t, schemaOf(t, ""), reportOf(t, dir)); err != nil {
		t.Error(err)
	}
}

// Nothing is known of clients on a node whose agent was away, whether that is expected or not.
func TestAgentsThatWereAwayAreReported(t *testing.T) {
	dir, r := emptyFolder(t), cut("iptables")
	r.run.Disruption.Nodes, r.run.Disruption.Expects = nil, []string{evidence.AgentLost}
	for _, a := range []struct {
		lane     string
		node     string
		from, to uint64
	}{{"worker2-fresh", "worker2", 90, 100}, {"worker-fresh", "worker", 60, 80}} {
		r.hits = slices.DeleteFunc(r.hits, func(h evidence.Hit) bool { return h.Lane == a.lane && h.Seq >= a.from-1 && h.Seq < a.to })
		r.run.Absences = append(r.run.Absences, evidence.Absence{Lane: a.lane, From: a.from, To: a.to,
			Since: time.Duration(a.from) * 10 * ms, Until: time.Duration(a.to) * 10 * ms, Unknown: []uint64{a.from - 1}, Why: "its node booted"})
	}
	fail(&r, "outside-fresh", evidence.Closed, 60)
	record(t, dir, r)
	report, err := reports.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []model.AgentAway{{Node: "worker", From: 600, Length: 200, LeftOut: 20, Unknown: 1, Why: "its node booted"},
		{Node: "worker2", From: 900, Length: 100, LeftOut: 10, Unknown: 1, Why: "its node booted"}}
	if diff := cmp.Diff(want, report.Scenarios[0].AgentsAway); diff != "" {
		t.Errorf("away (-want +got):\n%s", diff)
	}
	if err := violation(t, schemaOf(t, ""), reportOf(t, dir)); err != nil {
		t.Error(err)
	}
	first := "the load agent of worker was away for 200 ms from 0.600 s on, with 1 in flight, and left out 20 requests: its node booted"
	for name, write := range map[string]reports.Writer{"terminal": reports.Terminal, "markdown": reports.Markdown} {
		text := printed(t, write, report)
		said := strings.Join(strings.Fields(text), " ")
		if i := strings.Index(said, first); i < 0 || !strings.Contains(said[i:], "the load agent of worker2 was away for 100 ms") {
			t.Errorf("the %s does not say in this order who was away:\n%s", name, text)
		}
	}
}

// A control lane that goes on asking for the address that its pod had before a boot is named with that boot.
func TestALostAddressIsReported(t *testing.T) {
	dir, r := emptyFolder(t), cut("iptables")
	control := slices.IndexFunc(r.run.Lanes, func(l evidence.Lane) bool { return l.ID == "control" })
	r.run.Lanes[control].TargetNode = "worker2"
	fail(&r, "control", evidence.Timeout, from(60, 200)...)
	for i, node := range []string{"worker", "worker2"} {
		r.events = append(r.events, evidence.Event{At: time.Duration(800+i) * ms, Kind: evidence.NodeChanged, Object: node,
			Detail: evidence.Booted})
	}
	record(t, dir, r)
	report, err := reports.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	var boots []string
	for _, s := range report.Scenarios[0].Steps {
		if strings.HasPrefix(s.What, evidence.Booted) {
			boots = append(boots, s.Node+": "+s.What)
		}
	}
	want := []string{"worker: booted", "worker2: booted; control asks for the address that its pod had before"}
	if diff := cmp.Diff(want, boots); diff != "" {
		t.Errorf("boots (-want +got):\n%s", diff)
	}
}

func TestTheLongestOutagesAreReported(t *testing.T) {
	dir, r := emptyFolder(t), cut("iptables")
	for i := range 24 {
		fail(&r, "worker-fresh", evidence.Timeout, from(uint64(60+5*i), uint64(61+5*i+i%3))...)
	}
	record(t, dir, r)
	report, err := reports.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	outages := report.Scenarios[0].Outages
	longestFirst := slices.IsSortedFunc(outages, func(a, b model.Outage) int { return int(b.Length - a.Length) })
	if len(outages) != 20 || !longestFirst || outages[0].Length != 30 || outages[19].Length != 10 {
		t.Errorf("%d outages, the longest first: %t: %+v", len(outages), longestFirst, outages)
	}
}
