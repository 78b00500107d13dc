package advice

import (
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/reports/model"
)

// Advice for a recording names what the protocol of its lanes has, and nothing of the others.
func TestAdviceOfEachProtocol(t *testing.T) {
	all := []string{"Connection: close", "GOAWAY", "GracefulStop", "1001", "end mark"}
	for _, row := range []struct {
		protocol evidence.Protocol
		names    []string
	}{
		{evidence.HTTP, all[:1]}, {evidence.SSE, all[4:]}, {evidence.H2C, all[1:2]}, {evidence.H2, all[1:2]}, {evidence.WebSocket, all[3:4]},
		{evidence.GRPC, all[1:3]}, {evidence.GRPCStream, all[1:3]}, {"datagrams", nil},
	} {
		of := func(c timeline.Cause) timeline.Cause {
			for i := range c.Hits {
				c.Hits[i].Lane, c.Hits[i].Connection = "worker", 1
			}
			return c
		}
		stage := timeline.StageDropped
		if row.protocol.Streams() {
			stage = timeline.StageCut
		}
		s := model.Scenario{Lanes: []model.Lane{{ID: "worker-control", Vantage: evidence.FromControl, Conn: evidence.Fresh},
			{ID: "worker", Vantage: evidence.FromPod, Conn: evidence.Reused, Protocol: row.protocol.Name()}}}
		own := evidence.UserApp{Watched: true, Probed: true, PreStop: 5 * time.Second, Grace: 30 * time.Second, Replicas: 3}
		for _, seen := range []timeline.Signs{{}, {timeline.NeverTold: {Count: 7, Text: row.protocol.Name()}}} {
			given, _ := On(own, s, seen, []timeline.Cause{of(kept(lost(7, stage, terminating)))})
			var said []string
			for _, a := range given {
				said = append(said, a.String())
			}
			text := strings.Join(said, "\n")
			got := slices.DeleteFunc(slices.Clone(all), func(word string) bool { return !strings.Contains(text, word) })
			if len(given) == 0 || !slices.Equal(got, row.names) {
				t.Errorf("%s: it names %q, want %q:\n%s", row.protocol.Name(), got, row.names, text)
			}
		}
	}
}
