package observe

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
)

func TestFlows(t *testing.T) {
	const ms = time.Millisecond
	const begin, end = "R @1ns begin nftables events", "R @90ms end"
	flow := func(seq uint64, at time.Duration, port int, pod string) evidence.Flow {
		f := evidence.Flow{Node: "worker", Seq: seq, At: at, Client: "10.244.1.9", Port: port, To: "10.96.0.10:80", Address: pod}
		if pod == "10.244.1.2:8080" {
			f.By = evidence.Server{Version: "v1", Pod: "a", Node: "worker"}
		}
		return f
	}
	for _, row := range []struct {
		sentence string
		lines    []string
		want     []evidence.Flow
		lost     bool // the observer's output cannot be parsed
	}{
		{"a connection was routed to the pod that has the address",
			[]string{"R @10ms flow 10.244.1.9:1000 10.96.0.10:80 10.244.1.2:8080 2000"},
			[]evidence.Flow{flow(0, 8*ms, 1000, "10.244.1.2:8080")}, false},
		{"a line with several connections", []string{"R @2ms flows", "R @10ms flow 10.244.1.9:1000 10.96.0.10:80 10.244.1.2:8080 2000 " +
			"10.244.1.9:1001 10.96.0.10:80 10.244.1.3:8080 0"},
			[]evidence.Flow{flow(0, 8*ms, 1000, "10.244.1.2:8080"), flow(1, 10*ms, 1001, "10.244.1.3:8080")}, false},
		{"connections are numbered over all lines", []string{"R @10ms flow 10.244.1.9:1000 10.96.0.10:80 10.244.1.2:8080 0",
			"R @20ms flow 10.244.1.9:1001 10.96.0.10:80 10.244.1.2:8080 0"},
			[]evidence.Flow{flow(0, 10*ms, 1000, "10.244.1.2:8080"), flow(1, 20*ms, 1001, "10.244.1.2:8080")}, false},
		{"a line with half a connection cannot be parsed", []string{"R @10ms flow 10.244.1.9:1000 10.96.0.10:80"}, nil, true},
		{"an age that is not a number cannot be parsed", []string{"R @10ms flow 10.244.1.9:1000 10.96.0.10:80 10.244.1.2:8080 soon"}, nil, true},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			v := newSimNode(t)
			v.appears("a", "10.244.1.2")
			v.says(append(append([]string{begin}, row.lines...), end)...)
			v.begun()
			stop(t, v.watch) // when all is read
			lost := slices.ContainsFunc(v.sink.events, func(e evidence.Event) bool { return e.Kind == evidence.RecorderLost })
			if lost != row.lost {
				t.Errorf("lost %v, want %v", lost, row.lost)
			}
			if diff := cmp.Diff(row.want, v.sink.flows); diff != "" {
				t.Errorf("flows (-want +got):\n%s", diff)
			}
		})
	}
}

// Which nodes report connections at all, which recordings check before the load.
func TestWhoseFlowsAreHeardOf(t *testing.T) {
	for _, row := range []struct {
		sentence, line string
		listened       map[string]string
		routed         map[string]bool
	}{
		{"a node listens", "R @2ms flows", map[string]string{"worker": ""}, map[string]bool{}},
		{"it cannot listen", "R @2ms noflows nf_conntrack_events is 0",
			map[string]string{"worker": "nf_conntrack_events is 0"}, map[string]bool{}},
		{"a connection was routed", "R @3ms flow 10.244.1.9:1000 10.96.0.10:80 10.244.1.2:8080 0", map[string]string{},
			map[string]bool{"10.244.1.9": true}},
		{"one was tracked, not routed", "R @3ms flow 10.244.1.9:1000 10.96.0.10:80 10.96.0.10:80 0", map[string]string{}, map[string]bool{}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			v := newSimNode(t)
			v.says("R @1ns begin nftables events", row.line, "R @90ms end")
			v.begun()
			stop(t, v.watch) // when all is read
			s := v.watch.state()
			if diff := cmp.Diff(row.listened, s.Listened) + cmp.Diff(row.routed, s.Routed); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
