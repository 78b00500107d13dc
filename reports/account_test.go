package reports

import "testing"

func TestAccount(t *testing.T) {
	lane := func(requests, arrivals, never, lost int) Lane {
		return Lane{Requests: requests, Arrivals: &arrivals, NeverArrived: &never, LostReplies: &lost}
	}
	for _, tc := range []struct {
		sentence string
		lanes    []Lane
		want     string
	}{
		{"every request of every lane is accounted for", []Lane{lane(100, 97, 3, 1), lane(50, 50, 0, 0)},
			"of 150 requests 147 arrived and 3 never did; 1 of those that arrived lost their reply"},
		{"a request that was sent again arrived more than once", []Lane{lane(100, 99, 3, 0)},
			"of 100 requests 97 arrived and 3 never did; 0 of those that arrived lost their reply; pods logged 2 arrivals more, of requests sent again"},
		{"one lane whose arrivals are not known leaves all open", []Lane{lane(100, 97, 3, 1), {Requests: 5}}, ""},
		{"no request, no account", []Lane{lane(0, 0, 0, 0)}, ""},
		{"no lane, no account", nil, ""},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			if got := account(Scenario{Lanes: tc.lanes}); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}
