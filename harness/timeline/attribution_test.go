package timeline_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
)

func TestAttributions(t *testing.T) {
	step := func(at int, what string) evidence.Event { return noted(at, evidence.Step, "n1", what) }
	of := func(at int, what string) timeline.Step {
		return timeline.Step{Time: timeline.Time{At: time.Duration(at) * ms}, Kind: evidence.Step, Node: "n1", What: what}
	}
	outage := timeline.Outage{From: 30 * ms, To: 50 * ms, Failed: 2}
	after := func(at, uncertainty int) timeline.Elapsed {
		return timeline.Elapsed{Length: 30*ms - time.Duration(at)*ms, Uncertainty: time.Duration(uncertainty) * ms}
	}
	for _, row := range []struct {
		sentence    string
		outcomes    string
		uncertainty int // of the lane's clock, in ms
		events      []evidence.Event
		want        []timeline.Loss
	}{
		{"without an outage there is no loss", "1111", 0, []evidence.Event{step(20, "drain")}, nil},
		{"it belongs to the last step before it", "11xx1", 0, []evidence.Event{step(10, "cordon"), step(25, "drain"), step(60, "boot")},
			[]timeline.Loss{{Lane: "a", Outage: outage, Step: new(of(25, "drain")), After: after(25, 0)}}},
		{"a step at the moment of its first request is before it", "11xx1", 0, []evidence.Event{step(30, "drain")},
			[]timeline.Loss{{Lane: "a", Outage: outage, Step: new(of(30, "drain")), After: after(30, 0)}}},
		{"it names the steps that came while it lasted", "11xx1", 0,
			[]evidence.Event{step(25, "drain"), step(31, "unready"), step(49, "boot"), step(50, "ready")},
			[]timeline.Loss{{Lane: "a", Outage: outage, Step: new(of(25, "drain")), After: after(25, 0),
				Meanwhile: []timeline.Step{of(31, "unready"), of(49, "boot")}}}},
		{"one that began before any step belongs to none", "11xx1", 0, []evidence.Event{step(40, "drain")},
			[]timeline.Loss{{Lane: "a", Outage: outage, Meanwhile: []timeline.Step{of(40, "drain")}}}},
		{"a step that the clocks cannot tell to be before it came while it lasted", "11xx1", 3,
			[]evidence.Event{step(20, "cordon"), step(28, "drain"), step(52, "boot"), step(53, "ready")},
			[]timeline.Loss{{Lane: "a", Outage: outage, Step: new(of(20, "cordon")), After: after(20, 3),
				Perhaps: []timeline.Step{of(28, "drain")}, Meanwhile: []timeline.Step{of(52, "boot")}}}},
		{"a step on the clock of the lane's node is certain", "11xx1", 3,
			[]evidence.Event{{At: 28 * ms, Clock: "n1", Kind: evidence.Step, Object: "n1", Detail: "drain"}},
			[]timeline.Loss{{Lane: "a", Outage: outage, After: after(28, 0),
				Step: &timeline.Step{Time: timeline.Time{At: 28 * ms, Clock: "n1", Err: 3 * ms}, Kind: evidence.Step, Node: "n1", What: "drain"}}}},
		{"each outage is its own", "1x1x1", 0, []evidence.Event{step(15, "drain"), step(35, "boot")},
			[]timeline.Loss{
				{Lane: "a", Outage: timeline.Outage{From: 20 * ms, To: 30 * ms, Failed: 1}, Step: new(of(15, "drain")), After: after(25, 0)},
				{Lane: "a", Outage: timeline.Outage{From: 40 * ms, To: 50 * ms, Failed: 1}, Step: new(of(35, "boot")), After: after(25, 0)}}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			r := recording(paced("a", row.outcomes), row.events, fresh("a", "n1"))
			r.Run.Clocks = []evidence.ClockReading{{Node: "n1", Uncertainty: time.Duration(row.uncertainty) * ms}}
			tl := join(t, r)
			if diff := cmp.Diff(row.want, timeline.Losses(tl.Lanes, tl.Steps()), cmpopts.IgnoreFields(timeline.Loss{}, "Hits"),
				cmpopts.IgnoreUnexported(timeline.Loss{})); diff != "" {
				t.Errorf("attributions (-want +got):\n%s", diff)
			}
		})
	}
}

// Every outage and failed request is in one loss, and every step comes before it, during it or after it.
func TestEveryOutageIsAttributed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRecording(t)
		for range rapid.IntRange(0, 6).Draw(t, "steps") {
			r.Events = append(r.Events, noted(rapid.IntRange(0, 700).Draw(t, "at"), evidence.Step, "n1", "drain"))
		}
		uncertain := time.Duration(rapid.IntRange(0, 20).Draw(t, "uncertainty")) * ms
		r.Run.Clocks = []evidence.ClockReading{{Node: "n1", Uncertainty: uncertain}, {Node: "n2"}}
		tl := mustJoin(t, r)
		steps, failed := tl.Steps(), 0
		for _, a := range timeline.Losses(tl.Lanes, tl.Steps()) {
			failed += a.Failed
			if a.Step == nil && len(steps) > 0 && steps[0].At+20*ms <= a.From {
				t.Errorf("the outage at %s belongs to no step, though one came at %s", a.From, steps[0].At)
			}
			if a.Step != nil && (a.After.Length < a.After.Uncertainty || a.After.Length != a.From-a.Step.At) {
				t.Errorf("the outage at %s is %v after its step at %s", a.From, a.After, a.Step.At)
			}
			for _, s := range slices.Concat(a.Perhaps, a.Meanwhile) {
				if a.Step != nil && s.At < a.Step.At || s.At >= a.To+20*ms {
					t.Errorf("the outage from %s to %s spans a step at %s", a.From, a.To, s.At)
				}
			}
		}
		if all := len(timeline.Failed(tl.Lanes)); failed != all {
			t.Errorf("outages have %d failed requests of %d", failed, all)
		}
	})
}
