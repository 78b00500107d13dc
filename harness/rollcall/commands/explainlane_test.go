package commands

import (
	"testing"

	"example.com/rollcall/harness/evidence"
)

func TestWhatClientsAsk(t *testing.T) {
	for _, row := range []struct {
		kind evidence.LaneKind
		want string
	}{
		{evidence.LaneKind{Vantage: evidence.FromPod, Conn: evidence.Fresh}, "a client in a pod on each node that carries load, " +
			"which asks the Service by its address, over a new connection for each request"},
		{evidence.LaneKind{Vantage: evidence.FromPod, Conn: evidence.Reused, Protocol: "grpc"},
			"a client in a pod on each node that carries load, which asks the Service by its address, over connections that are kept, and never sends a request again, by grpc"},
		{evidence.LaneKind{Vantage: evidence.FromPod, Protocol: "datagrams"}, "a client in a pod on each node that carries load, " +
			"which asks the Service by its address, by datagrams"},
	} {
		if got := whatAsks(row.kind, false); got != row.want {
			t.Errorf("%+v:\n%s, want\n%s", row.kind, got, row.want)
		}
	}
}
