package harness

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/cluster/change"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/userapp"
	"example.com/rollcall/harness/verdict"
)

// On a slow cluster the app's own times are longer, and so are the bounds that come from them; other bounds stay.
func TestScenarioAt(t *testing.T) {
	s := Scenario{
		Claim:          "pods sleep",
		App:            fixtures.App{Replicas: 3, PreStopSleep: 5 * time.Second, Linger: 2 * time.Second},
		Kind:           UnderLoad{},
		ClusterChanges: []cluster.Change{change.MinSync(10 * time.Second), change.Metrics()},
		Expect: []evidence.Expectation{
			verdict.NoFailures(),
			verdict.MaxRuleLag(3 * time.Second),
			verdict.MinOutage(2 * time.Second).Scaled(),
			verdict.MinOutage(10 * time.Second),
			verdict.Between(evidence.PodDeleting, evidence.EndpointNotReady, -time.Second, 3*time.Second),
		},
	}
	usual := s.At(100, 1)
	if !cmp.Equal(usual.UnderLoad(), UnderLoad{Rate: 100, Timeout: 2 * time.Second, Settle: 3 * time.Second}) ||
		!cmp.Equal(usual.App, s.App) || usual.Claim != s.Claim {
		t.Errorf("%+v", usual)
	}
	users := s
	users.Kind = UnderLoad{UserApp: &userapp.App{}}
	if got := users.At(100, 1).UnderLoad().Timeout; got != 0 {
		t.Errorf("the timeout of a user's app is %v before its first reply", got)
	}
	half := s
	half.Kind = UnderLoad{Rate: 50}
	for _, row := range []struct {
		s    Scenario
		want int
	}{{s, 24}, {half, 12}} {
		if got := row.s.At(24, 1).UnderLoad().Rate; got != row.want {
			t.Errorf("at a rate of 24: %d, want %d", got, row.want)
		}
	}
	streams := s
	streams.Kind = UnderLoad{Also: []string{evidence.Streaming}, Streams: Streams{Rate: 12, Longest: 10 * time.Second}}
	for rate, want := range map[int]int{100: 12, 25: 3, 6: 1} {
		if got := streams.At(rate, 1).UnderLoad().Streams; got != (Streams{Rate: want, Longest: 10 * time.Second}) {
			t.Errorf("at a rate of %d: %+v", rate, got)
		}
	}
	if more := streams.Estimate() - s.Estimate(); more != 10*time.Second {
		t.Errorf("the last streams take %v more", more)
	}
	slow := s.At(6, 5)
	if got := slow.UnderLoad(); !cmp.Equal(got, UnderLoad{Rate: 6, Timeout: 2 * time.Second, Settle: 3 * time.Second}) {
		t.Errorf("%+v", got)
	}
	if slow.App.PreStopSleep != 25*time.Second || slow.App.Linger != 10*time.Second || slow.App.Grace != 150*time.Second {
		t.Errorf("%+v", slow.App)
	}
	if got := slow.ClusterChanges[0].String(); got != "kube-proxy's minSyncPeriod of 50s" {
		t.Error(got)
	}
	bounds := func(s Scenario) (all []time.Duration) {
		for _, x := range s.Expect {
			all = append(all, x.Min, x.Max)
		}
		return all
	}
	want := []time.Duration{0, 0, 0, 3 * time.Second, 10 * time.Second, 0, 10 * time.Second, 0, -time.Second, 3 * time.Second}
	if diff := cmp.Diff(want, bounds(slow)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(verdict.MaxRuleLag(3*time.Second), s.Expect[1]); diff != "" {
		t.Errorf("the scenario itself changed: %s", diff)
	}
	s.Kind = InSteps{}
	if got := s.At(6, 5); !cmp.Equal(got.App, s.App) || got.Claim != s.Claim {
		t.Errorf("what steps deploy is theirs to choose: %+v", got.App)
	}
}

// If the scenario's outage lasts until the end of the load, it is as long as the load goes on. Its bound must not grow if that
// does not.
func TestScenarioAtKeepsOutageWithinLoad(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stretch := rapid.IntRange(1, 10).Draw(t, "stretch")
		outage := time.Duration(rapid.IntRange(1, 60).Draw(t, "seconds")) * time.Second
		s := Scenario{Kind: UnderLoad{Settle: outage}, Expect: []evidence.Expectation{verdict.MinOutage(outage)}}.At(50, stretch)
		if settle := s.UnderLoad().Settle; s.Expect[0].Min > settle {
			t.Fatalf("an outage of %v is wanted of a load that goes on for %v", s.Expect[0].Min, settle)
		}
	})
}

// Claims about the app's times say by how much these are longer. Steps choose their own.
func TestAtSaysHowLongTimesAre(t *testing.T) {
	expect := []evidence.Expectation{verdict.NoFailures().ByTheClock().Decides("C40"), verdict.NoFailures().Decides("C18")}
	for _, row := range []struct {
		sentence string
		s        Scenario
		stretch  int
		want     []int // of both expectations
	}{
		{"a cluster as fast as usual", Scenario{Kind: UnderLoad{}, Expect: expect}, 1, []int{1, 0}},
		{"one that takes three times as long", Scenario{Kind: UnderLoad{}, Expect: expect}, 3, []int{3, 0}},
		{"steps on one", Scenario{Kind: InSteps{}, Expect: expect}, 3, []int{1, 0}},
	} {
		for i, x := range row.s.At(FullRate, row.stretch).Expect {
			if x.Stretch != row.want[i] {
				t.Errorf("%s: expectation %d has stretch %d, want %d", row.sentence, i, x.Stretch, row.want[i])
			}
		}
	}
}
