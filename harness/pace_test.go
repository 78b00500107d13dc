package harness

import (
	"context"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rollcall/fixtures"
	"rollcall/harness/cluster"
	"rollcall/harness/evidence"
	"rollcall/harness/verdict"
)

// At the slow pace everything that takes time takes as many times longer, so that a scenario asks the same.
func TestAScenarioAtAPace(t *testing.T) {
	s := Scenario{
		Claim: "pods sleep",
		App:   fixtures.App{Replicas: 3, PreStopSleep: 5 * time.Second, Linger: 2 * time.Second},
		Load:  Load{Rate: 100},
		Given: []cluster.Change{cluster.MinSync(10 * time.Second), cluster.NoProxy()},
		Expect: []evidence.Expectation{
			verdict.NoFailures(),
			verdict.MaxRuleLag(3 * time.Second),
			verdict.Between(evidence.PodDeleting, evidence.PodSigterm, 5*time.Second, 7*time.Second),
			verdict.Between(evidence.PodDeleting, evidence.EndpointNotReady, -time.Second, 3*time.Second),
		},
	}
	normal := s.at(evidence.NormalPace)
	if normal.Load != (Load{Rate: 100, Timeout: 2 * time.Second, Settle: 10 * time.Second}) || normal.App != s.App || normal.Claim != s.Claim {
		t.Errorf("%+v", normal)
	}
	light := s.at(evidence.LightPace)
	if light.Load != (Load{Rate: 25, Timeout: 2 * time.Second, Settle: 10 * time.Second}) || light.App != s.App || light.Claim != s.Claim {
		t.Errorf("%+v", light)
	}
	slow := s.at(evidence.SlowPace)
	if slow.Load != (Load{Rate: 6, Timeout: 10 * time.Second, Settle: 20 * time.Second}) {
		t.Errorf("%+v", slow.Load)
	}
	if slow.App.PreStopSleep != 25*time.Second || slow.App.Linger != 10*time.Second || slow.App.Grace != 150*time.Second {
		t.Errorf("%+v", slow.App)
	}
	if got := slow.Given[0].String(); got != "kube-proxy's minSyncPeriod of 50s" {
		t.Error(got)
	}
	var bounds []time.Duration
	for _, x := range slow.Expect {
		bounds = append(bounds, x.Min, x.Max)
	}
	want := []time.Duration{0, 0, 0, 15 * time.Second, 25 * time.Second, 35 * time.Second, -5 * time.Second, 15 * time.Second}
	if diff := cmp.Diff(want, bounds); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	s.Walk = func(context.Context, *Walk) error { return nil }
	bounds = nil
	for _, x := range s.at(evidence.SlowPace).Expect {
		bounds = append(bounds, x.Min, x.Max)
	}
	want = []time.Duration{0, 0, 0, 8 * time.Second, 5 * time.Second, 12 * time.Second, -6 * time.Second, 8 * time.Second}
	if diff := cmp.Diff(want, bounds); diff != "" {
		t.Errorf("of a walk (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(verdict.MaxRuleLag(3*time.Second), s.Expect[1]); diff != "" {
		t.Errorf("the scenario itself changed: %s", diff)
	}
}

// A rollout begins when the cluster is at rest.
func TestSteadyBeforeTheRollout(t *testing.T) {
	resting := []cluster.Change{cluster.NoProxy(), cluster.MinSync(50 * time.Second)}
	for _, row := range []struct {
		sentence string
		given    []cluster.Change
		run      evidence.Run
		want     time.Duration
	}{
		{"as it is", nil, evidence.Run{Pace: evidence.NormalPace}, 10 * time.Second},
		{"a slow machine", nil, evidence.Run{Pace: evidence.SlowPace}, 20 * time.Second},
		{"kube-proxy rests for longer", resting, evidence.Run{Pace: evidence.SlowPace}, 50 * time.Second},
		{"kube-proxy rests for less", []cluster.Change{cluster.MinSync(10 * time.Second)}, evidence.Run{Pace: evidence.SlowPace}, 20 * time.Second},
		{"a recording that measures", resting, evidence.Run{Measures: true}, time.Second},
	} {
		r := recording{Scenario: Scenario{Given: row.given}, run: row.run}
		if got := r.steady(); got != row.want {
			t.Errorf("%s: %v, want %v", row.sentence, got, row.want)
		}
	}
}

// The rate is that of requests that were made, each over a connection of its own.
func TestFreshRequestsAreCounted(t *testing.T) {
	var replies, connections atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { replies.Add(1) }))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	rate, err := freshRequests(t.Context(), server.URL)
	server.Close()
	if made := int64(math.Round(rate * freshTime.Seconds())); err != nil || made < 1 || made > replies.Load() || connections.Load() < replies.Load() {
		t.Errorf("%d requests counted, of %d over %d connections: %v", made, replies.Load(), connections.Load(), err)
	}
	if rate, err := freshRequests(t.Context(), server.URL); err == nil {
		t.Errorf("%.0f requests a second to nobody", rate)
	}
}

func TestThePaceOfAMachine(t *testing.T) {
	quick := evidence.Calibration{Cores: 2, Connect: 43 * time.Microsecond, Start: 700 * time.Microsecond, Fresh: 11000, Rate: 100, Lag: 2 * time.Millisecond}
	for _, row := range []struct {
		sentence string
		change   func(*evidence.Calibration)
		want     evidence.Pace
	}{
		{"one like the reference host", func(*evidence.Calibration) {}, evidence.NormalPace},
		{"one core", func(c *evidence.Calibration) { c.Cores = 1 }, evidence.SlowPace},
		{"half as many requests over new connections", func(c *evidence.Calibration) { c.Fresh = 4800 }, evidence.LightPace},
		{"slow connections", func(c *evidence.Calibration) { c.Connect = 317 * time.Microsecond }, evidence.SlowPace},
		{"slow programs", func(c *evidence.Calibration) { c.Start = 4 * time.Millisecond }, evidence.SlowPace},
		{"late clients", func(c *evidence.Calibration) { c.Lag = 80 * time.Millisecond }, evidence.SlowPace},
		{"fewer requests than asked", func(c *evidence.Calibration) { c.Rate = 80 }, evidence.SlowPace},
	} {
		c := quick
		row.change(&c)
		if got := paceOf(c); got != row.want {
			t.Errorf("%s: %s", row.sentence, got)
		}
	}
}
