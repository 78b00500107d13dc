package loadgen

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"example.com/rollcall/harness/evidence"
)

// A roundTrip is how long a request and its reply take.
type roundTrip struct{ there, back time.Duration }

// A skewed agent's clock is ahead of ours. Its time passes in a synctest bubble.
type skewed struct {
	ahead time.Duration
	trips []roundTrip // those still to come
}

// RoundTrip replies with the agent's status, after a while.
func (s *skewed) RoundTrip(*http.Request) (*http.Response, error) {
	trip := s.trips[0]
	s.trips = s.trips[1:]
	time.Sleep(trip.there)
	id, err := json.Marshal(Status{Instance: "one", Now: time.Now().Add(s.ahead).UnixNano()})
	time.Sleep(trip.back)
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(string(id)))}, err
}

// read reads the agent's clock with all round trips, the first an hour after the run began.
func (s *skewed) read(t *testing.T) (reading evidence.ClockReading, err error) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now().Add(-time.Hour)
		reading, err = Remote{URL: "http://agent", Client: &http.Client{Transport: s}}.ReadClock(t.Context(), began, len(s.trips))
	})
	return reading, err
}

// TestReadClockKnowsItsError reads clocks over connections that are slower in one direction.
func TestReadClockKnowsItsError(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		const most = 2 * time.Second
		way := rapid.Map(rapid.Int64Range(0, int64(most)), func(ns int64) time.Duration { return time.Duration(ns) })
		trips := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) roundTrip {
			return roundTrip{way.Draw(rt, "there"), way.Draw(rt, "back")}
		}), 1, 5).Draw(rt, "trips")
		ahead := time.Duration(rapid.Int64Range(-int64(3*time.Second), int64(3*time.Second)).Draw(rt, "ahead"))

		agent := &skewed{ahead: ahead, trips: trips}
		got, err := agent.read(t)
		if err != nil || len(agent.trips) > 0 {
			rt.Fatalf("%d of %d samples left, %v", len(agent.trips), len(trips), err)
		}
		shortest, all := 2*most, time.Duration(0)
		for _, trip := range trips {
			shortest, all = min(shortest, trip.there+trip.back), all+trip.there+trip.back
		}
		if wrong := (got.Offset - ahead).Abs(); wrong > got.Uncertainty {
			rt.Errorf("offset %v of a clock %v ahead: %v wrong, uncertainty %v", got.Offset, ahead, wrong, got.Uncertainty)
		}
		if want := (shortest + 1) / 2; got.Uncertainty != want {
			rt.Errorf("uncertainty %v, want %v: half of the shortest round trip", got.Uncertainty, want)
		}
		if got.At < time.Hour || got.At > time.Hour+all {
			rt.Errorf("read at %v, outside of the %v from one hour on", got.At, all)
		}
	})
}

func TestReadClock(t *testing.T) {
	const skew = 3 * time.Second
	tests := []struct {
		sentence string
		trips    []roundTrip
		offset   time.Duration
		half     time.Duration
	}{
		{"an answer at once is exact", []roundTrip{{}}, skew, 0},
		{"equal times there and back are exact, though nobody can know", []roundTrip{{5, 5}}, skew, 5},
		{"if only the way there takes time, the clock seems ahead", []roundTrip{{10, 0}}, skew + 5, 5},
		{"if only the way back takes time, the clock seems behind", []roundTrip{{0, 10}}, skew - 5, 5},
		{"half a nanosecond counts as one", []roundTrip{{0, 3}}, skew - 1, 2},
		{"the shortest round trip of three counts", []roundTrip{{20, 0}, {4, 0}, {0, 6}}, skew + 2, 2},
	}
	for _, tt := range tests {
		t.Run(tt.sentence, func(t *testing.T) {
			got, err := (&skewed{ahead: skew, trips: tt.trips}).read(t)
			if err != nil || got.Offset != tt.offset || got.Uncertainty != tt.half || got.Node != "" {
				t.Errorf("got %+v, %v; want offset %v, uncertainty %v", got, err, tt.offset, tt.half)
			}
		})
	}
}

// TestReadClockOverHTTP reads the clock of an agent of this process, which is our own.
func TestReadClockOverHTTP(t *testing.T) {
	agent := serveAgent(t)
	got, err := agent.ReadClock(t.Context(), time.Now(), 5)
	if err != nil || got.Offset.Abs() > got.Uncertainty || got.Uncertainty <= 0 {
		t.Errorf("got %+v, %v", got, err)
	}
	_, err = agent.ReadClock(t.Context(), time.Now(), 0)
	wantError(t, err, "no samples")
	agent.Token = "wrong"
	_, err = agent.ReadClock(t.Context(), time.Now(), 5)
	wantError(t, err, "401 Unauthorized")
}
