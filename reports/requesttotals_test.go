package reports

import (
	"testing"

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
