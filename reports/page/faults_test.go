package page_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
)

// Faults that only some lanes can meet are drawn and named too.
func TestEveryFaultIsDrawn(t *testing.T) {
	dir := t.TempDir()
	writeJSON(t, filepath.Join(dir, "evidence", evidence.SessionFile), evidence.Session{Schema: 1, ID: "faults", Began: began})
	writeJSON(t, filepath.Join(dir, "evidence", evidence.NoCluster, evidence.ClusterFile), evidence.Cluster{Mode: evidence.NoCluster})
	ev := evidence.Evidence{Run: evidence.Run{Suite: "during", Scenario: "maintenance", Mode: evidence.NoCluster, Attempt: 1,
		OldVersion: "v1", NewVersion: "v1", UserApp: &evidence.UserApp{},
		Lanes: []evidence.Lane{{ID: "outside-fresh", Vantage: evidence.FromHost, Conn: evidence.Fresh,
			Target: "https://shop.example.com/", Rate: 10}}}}
	for at, kind := range []evidence.EventKind{evidence.LoadBegun, evidence.RolloutBegun, evidence.Barrier, evidence.LoadEnded} {
		ev.Events = append(ev.Events, evidence.Event{At: time.Duration(at) * time.Second, Kind: kind})
	}
	var hits []evidence.Hit
	for i, fault := range append(evidence.Faults(), evidence.NoFault) {
		at := time.Second + time.Duration(i)*100*time.Millisecond
		hits = append(hits, evidence.Hit{Lane: "outside-fresh", Seq: uint64(i), Due: at, Sent: at, Took: time.Millisecond, Fault: fault})
	}
	ev.Hits = evidence.Hits(hits)
	record(t, dir, ev)
	drawn := article(t, string(write(t, dir)), evidence.NoCluster+".during.maintenance")
	for _, fault := range evidence.Faults() {
		if want := fmt.Sprintf("1 %s", fault); !strings.Contains(drawn, want) {
			t.Errorf("%q is not named", want)
		}
	}
}
