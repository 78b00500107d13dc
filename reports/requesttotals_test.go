package reports

import (
	"testing"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/reports/model"
)

func TestRequestTotals(t *testing.T) {
	lane := func(requests, arrivals, never, lost int) model.Lane {
		return model.Lane{Requests: requests, Arrivals: &arrivals, NeverArrived: &never, LostReplies: &lost}
	}
	again := lane(100, 99, 3, 0)
	again.Retried = 2
	for _, tc := range []struct {
		sentence string
		lanes    []model.Lane
		want     string
	}{
		{"every request of every lane is accounted for", []model.Lane{lane(100, 97, 3, 1), lane(50, 50, 0, 0)},
			"147 of 150 requests reached a pod, 3 did not; 1 reply lost"},
		{"a request that was sent again arrived more than once", []model.Lane{again},
			"97 of 100 requests reached a pod, 3 did not; no reply lost; pods logged 2 arrivals more, of requests sent again"},
		{"a recording that was cut off has arrivals of requests that it knows nothing else of", []model.Lane{lane(100, 102, 0, 0)},
			"all 100 requests reached a pod; no reply lost; pods logged 2 arrivals more, of requests whose end was not recorded"},
		{"one lane whose arrivals are not known leaves all open", []model.Lane{lane(100, 97, 3, 1), {Requests: 5}}, ""},
		{"no request, no account", []model.Lane{lane(0, 0, 0, 0)}, ""},
		{"no lane, no account", nil, ""},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			if got := requestTotals(model.Scenario{Lanes: tc.lanes}); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

func TestDisruptedTotals(t *testing.T) {
	lane := func(node string, from evidence.Vantage, refused int) model.Lane {
		return model.Lane{Node: node, Vantage: from, Conn: evidence.Fresh, Requests: 1000,
			Failures: map[evidence.Fault]int{evidence.Refused: refused}}
	}
	lanes := []model.Lane{lane("worker", evidence.FromPod, 130), lane("worker", evidence.FromPod, 155),
		lane("worker", evidence.FromControl, 7), lane("worker2", evidence.FromPod, 0), lane("", evidence.FromHost, 3)}
	for _, tc := range []struct {
		sentence string
		what     *model.Disruption
		want     string
	}{
		{"those of clients on the node count, and no control lane's", &model.Disruption{Nodes: []string{"worker"}},
			"285 of 2,000 requests from disrupted nodes failed"},
		{"that none failed is said too", &model.Disruption{Nodes: []string{"worker2"}}, "0 of 1,000 requests from disrupted nodes failed"},
		{"no client is on the node", &model.Disruption{Nodes: []string{"control-plane"}}, ""},
		{"no node was disrupted", &model.Disruption{}, ""},
		{"nothing was done to the cluster", nil, ""},
	} {
		if got := disruptedTotals(model.Scenario{Disruption: tc.what, Lanes: lanes}); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.sentence, got, tc.want)
		}
	}
}
