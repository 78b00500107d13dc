package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	lib "github.com/tsenart/vegeta/v12/lib"

	"rollcall/harness/evidence"
)

const ms = time.Millisecond

// tenth is a load of ten requests, one each 10 ms.
func tenth() load { return load{conn: evidence.Fresh, rate: 100, length: 100 * ms} }

// punctual are its requests, the first one sent when it was due, each answered in 2 ms.
func punctual(first time.Duration) []request {
	var all []request
	for n := range 10 {
		sent := first + time.Duration(n)*10*ms
		all = append(all, request{seq: n, sent: sent, ended: sent + 2*ms, good: true})
	}
	return all
}

func TestSettle(t *testing.T) {
	const first = 5 * ms
	tests := []struct {
		sentence string
		spoil    func(all []request) []request
		want     outcome
		held     bool
	}{
		{"all were answered in time", func(all []request) []request { return all }, outcome{requests: 10, answered: 10}, true},
		{"one failed", func(all []request) []request { all[3].good = false; return all }, outcome{requests: 10, answered: 9}, false},
		{"one was answered when the load was over",
			func(all []request) []request { all[9].ended = first + 100*ms; return all }, outcome{requests: 10, answered: 9}, false},
		{"one was never sent", func(all []request) []request { return all[:9] }, outcome{requests: 9, answered: 9}, false},
		{"one more was sent before the generator stopped", func(all []request) []request {
			return append(all, request{seq: 10, sent: first + 100*ms, ended: first + 102*ms, good: true})
		}, outcome{requests: 11, answered: 10}, true},
	}
	for _, tt := range tests {
		t.Run(tt.sentence, func(t *testing.T) {
			got := settle(tenth(), first, tt.spoil(punctual(first)))
			tt.want.lags = make([]time.Duration, tt.want.requests)
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(outcome{})); diff != "" {
				t.Errorf("outcome (-want +got):\n%s", diff)
			}
			if got.held(tenth()) != tt.held {
				t.Errorf("held %v, want %v", !tt.held, tt.held)
			}
		})
	}
}

func TestOneInAHundredMayBeLate(t *testing.T) {
	l := load{rate: 1000, length: time.Second}
	for answered, want := range map[float64]bool{1000: true, 990: true, 989: false, 0: false} {
		if got := (outcome{answered: answered}).held(l); got != want {
			t.Errorf("%v of 1000 answered: held %v", answered, got)
		}
	}
}

func TestLag(t *testing.T) {
	all := punctual(5 * ms)
	for n := range all {
		all[n].sent += time.Duration(9-n) * ms // 9, 8, … 0
	}
	o := settle(tenth(), 5*ms, all)
	for share, want := range map[float64]float64{0: 0, 0.5: 4, 0.51: 5, 0.99: 9, 1: 9} {
		if got := o.lag(share); got != want {
			t.Errorf("lag of %v of them is %v ms, want %v", share, got, want)
		}
	}
	if got := (outcome{}).lag(0.5); got != 0 {
		t.Errorf("without requests it is %v", got)
	}
}

func TestPlanOfTheMostPunctual(t *testing.T) {
	all := punctual(0)
	for n := range all {
		all[n].sent += 3 * ms
	}
	all[7].sent -= 2 * ms
	if got := planOf(tenth(), all); got != 1*ms {
		t.Errorf("got %s, want 1ms", got)
	}
}

// TestHitsAreSettledByTheirOwnPlan has hits come out of order, all of them sent a millisecond late.
func TestHitsAreSettledByTheirOwnPlan(t *testing.T) {
	var hits []evidence.Hit
	for _, n := range []int{1, 0, 2} {
		due := 7*time.Second + time.Duration(n)*10*ms
		hits = append(hits, evidence.Hit{Seq: uint64(n), Due: due, Sent: due + ms, Took: ms})
	}
	hits[1].Fault = evidence.Reset
	want := outcome{requests: 3, answered: 2, lags: []time.Duration{ms, ms, ms}}
	if diff := cmp.Diff(want, settleHits(tenth(), hits), cmp.AllowUnexported(outcome{})); diff != "" {
		t.Errorf("outcome (-want +got):\n%s", diff)
	}
	if o := settleHits(tenth(), nil); o.held(tenth()) {
		t.Error("without hits it is held")
	}
}

func TestReadResults(t *testing.T) {
	var file bytes.Buffer
	encode := lib.NewEncoder(&file)
	began := time.Now()
	for _, r := range []lib.Result{
		{Seq: 1, Timestamp: began.Add(12 * ms), Latency: 3 * ms, Code: 200},
		{Seq: 0, Timestamp: began.Add(2 * ms), Latency: 20 * ms, Error: "connection refused"},
	} {
		if err := encode(&r); err != nil {
			t.Fatal(err)
		}
	}
	whole := file.Bytes()
	got, err := readResults(bytes.NewReader(whole))
	want := []request{{seq: 1, ended: 3 * ms, good: true}, {seq: 0, sent: -10 * ms, ended: 10 * ms}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(request{})); diff != "" || err != nil {
		t.Errorf("error %v, requests (-want +got):\n%s", err, diff)
	}
	for _, size := range []int{len(whole) - 1, 0} {
		if _, err := readResults(bytes.NewReader(whole[:size])); err == nil {
			t.Errorf("%d of %d bytes are read as if they were all", size, len(whole))
		}
	}
}

func TestSettleCount(t *testing.T) {
	tests := []struct {
		sentence string
		printed  string
		want     outcome
	}{
		{"in time", `{"requests":10,"good":10,"took":100000000}`, outcome{requests: 10, answered: 10}},
		{"one failed", `{"requests":10,"good":9,"took":99000000}`, outcome{requests: 10, answered: 9}},
		{"in twice the time, half of it", `{"requests":10,"good":10,"took":200000000}`, outcome{requests: 10, answered: 5}},
	}
	for _, tt := range tests {
		t.Run(tt.sentence, func(t *testing.T) {
			got, err := settleCount(tenth(), []byte(tt.printed))
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(outcome{})); diff != "" || err != nil {
				t.Errorf("error %v, outcome (-want +got):\n%s", err, diff)
			}
		})
	}
	if _, err := settleCount(tenth(), []byte("panic: no")); err == nil {
		t.Error("what is no count is read")
	}
}

func TestCost(t *testing.T) {
	if got := (outcome{requests: 4, cpu: ms}).cost(); got != 250 {
		t.Errorf("got %v µs, want 250", got)
	}
}

// TestWorkers holds the bound against what vegeta is given for the agent's lanes: half as many again as are in
// flight when nothing answers, and ten.
func TestWorkers(t *testing.T) {
	for rate, want := range map[int]int{1: 13, 200: 610, 1000: 3010, 3001: 9013} {
		if got := (load{rate: rate}).workers(); got != want {
			t.Errorf("%d/s: got %d, want %d", rate, got, want)
		}
	}
}
