package reports

import (
	"testing"

	"rollcall/reports/model"
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
			"of 150 requests 147 arrived and 3 never did; 1 of those that arrived lost their reply"},
		{"a request that was sent again arrived more than once", []model.Lane{again},
			"of 100 requests 97 arrived and 3 never did; 0 of those that arrived lost their reply; pods logged 2 arrivals more, of requests sent again"},
		{"a recording that was cut off has arrivals of requests that it knows nothing else of", []model.Lane{lane(100, 102, 0, 0)},
			"of 100 requests 100 arrived and 0 never did; 0 of those that arrived lost their reply; pods logged 2 arrivals more, " +
				"of requests whose end was not recorded"},
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
