package reports_test

import (
	"strings"
	"testing"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports"
)

// A protocol without connections has lanes of no kind of connection, which this build need not know.
func TestReportsOfLanesWithoutConnections(t *testing.T) {
	const datagrams evidence.Protocol = "datagrams"
	dir := emptyFolder(t)
	kept := rollout("iptables", "rollout", "drained", 1, []evidence.Expectation{verdict.NoFailures()})
	kept.run.Lanes[0].Conn, kept.run.Lanes[0].Protocol = "", datagrams
	for i := range kept.hits {
		if h := &kept.hits[i]; h.Lane == kept.run.Lanes[0].ID && h.Seq == 60 {
			h.Fault, h.By, h.Status = evidence.Returned, evidence.Server{}, 0
		}
	}
	record(t, dir, kept)
	text := reportOf(t, dir)
	if err := violation(t, schemaOf(t, ""), text); err != nil {
		t.Error(err)
	}
	r, err := reports.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	lane := r.Scenarios[0].Lanes[0]
	if kind := lane.Kind(); kind.Protocol != datagrams || kind.KeepsAlive() || kind.FollowsRules() || lane.Over() != "datagrams" {
		t.Errorf("its kind is %+v, over %s", kind, lane.Over())
	}
	if lane.Returned != 1 || lane.Failed() != 0 {
		t.Errorf("%d were returned and %d failed, want 1 and 0", lane.Returned, lane.Failed())
	}
	if text := printed(t, reports.JUnit, r); !strings.Contains(text, `<property name="protocol" value="datagrams http">`) {
		t.Errorf("JUnit does not name it:\n%s", text)
	}
	for _, other := range r.Scenarios[0].Lanes[1:] {
		if other.Kind().Name == "" || other.Over() != string(other.Conn) {
			t.Errorf("%s is of kind %+v, over %s", other.ID, other.Kind(), other.Over())
		}
	}
}

// The status of an RPC has its name wherever a report says how requests failed.
func TestReportsOfBadStatuses(t *testing.T) {
	dir := emptyFolder(t)
	kept := rollout("iptables", "rollout", "drained", 1, []evidence.Expectation{verdict.NoFailures()})
	kept.run.Lanes[0].Conn, kept.run.Lanes[0].Protocol = evidence.Reused, evidence.GRPC
	for i := range kept.hits {
		if h := &kept.hits[i]; h.Lane == kept.run.Lanes[0].ID && h.Seq == 60 {
			h.Fault, h.Status = evidence.BadStatus, 14
		}
	}
	record(t, dir, kept)
	r, err := reports.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	for name, write := range map[string]reports.Writer{"JUnit": reports.JUnit, "Markdown": reports.Markdown,
		"terminal": reports.Terminal, "JSON": reports.JSON} {
		text := printed(t, write, r)
		if !strings.Contains(text, "Unavailable") || strings.Contains(text, "status 14") || strings.Contains(text, "status (14") {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}
