package reports

import (
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/reports/model"
)

// What became of streams and of kept connections is one line, which HTTP/1.1 has not.
func TestWhatBecameOfStreams(t *testing.T) {
	second := timeline.Spread{Count: 2, P50: 300 * time.Millisecond, Max: time.Second}
	for _, row := range []struct {
		sentence string
		lane     model.Lane
		want     string
	}{
		{"requests over HTTP/1.1", model.Lane{Protocol: "http", Connections: newConnections(timeline.Keeping{Opened: 3, Cut: 2})}, ""},
		{"connections that nobody cut", model.Lane{Protocol: "h2c", Connections: newConnections(timeline.Keeping{Opened: 1})},
			"worker opened 1 connection, of which 0 were cut"},
		{"connections that were cut", model.Lane{Protocol: "h2c",
			Connections: newConnections(timeline.Keeping{Opened: 30, Cut: 20, Told: 1, Back: second})},
			"worker opened 30 connections, of which 20 were cut and 1 was told before (back after 300 ms, at most 1.00 s)"},
		{"streams", model.Lane{Protocol: "sse", Requests: 40, FirstToken: &model.Latency{P50: 300, P99: 1000}, TokenGap: &model.Latency{P50: 20, P99: 50},
			Failures: map[evidence.Fault]int{evidence.Closed: 2, evidence.Truncated: 1, evidence.Timeout: 5}},
			"worker asked for 40 streams, of which 3 were cut; first token after 300 ms, 99 % within 1.00 s; longest gap between two 20 ms, 99 % within 50 ms"},
	} {
		row.lane.ID, row.lane.Vantage, row.lane.Conn = "worker", evidence.FromPod, evidence.Fresh
		if got := streamTotals(model.Scenario{Lanes: []model.Lane{row.lane}}); got != row.want {
			t.Errorf("%s: %q, want %q", row.sentence, got, row.want)
		}
	}
}
