package page

import (
	"slices"
	"testing"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports/model"
)

func TestGlance(t *testing.T) {
	ran := func(suite, id string, failed int) run {
		lane := model.Lane{Requests: 100, Failures: map[evidence.Fault]int{evidence.Refused: failed}}
		return run{model.Scenario{Suite: suite, ID: id, Mode: "iptables", Outcome: verdict.Pass, Lanes: []model.Lane{lane}},
			recording{Chart: &chart{}}}
	}
	lossy, drained, other := ran("control", "undrained-update", 7), ran("rollout", "drained-update", 0), ran("rollout", "all-at-once", 0)
	undrawn := drained
	undrawn.Chart = nil
	for _, row := range []struct {
		sentence  string
		runs      []run
		attention []run
		want      []string
	}{
		{"a control beside its twin, though another comes first", []run{lossy, other, drained}, nil,
			[]string{"undrained-update", "drained-update"}},
		{"a control beside any other without its twin", []run{lossy, other}, nil, []string{"undrained-update", "all-at-once"}},
		{"nothing without a control", []run{other, drained}, nil, nil},
		{"nothing without a timeline", []run{lossy, undrawn}, nil, nil},
		{"nothing where a run needs a look", []run{lossy, drained}, []run{other}, nil},
	} {
		v := view{Modes: []string{"iptables"}, Attention: row.attention}
		for _, r := range row.runs {
			v.Scenarios = append(v.Scenarios, scenario{Suite: r.Suite, ID: r.ID, Runs: []run{r}})
		}
		var got []string
		for _, r := range v.Glance() {
			got = append(got, r.ID)
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("%s: it shows %q, want %q", row.sentence, got, row.want)
		}
	}
}

// What encloses code in a sentence is not shown.
func TestCodeInASentence(t *testing.T) {
	for _, row := range []struct {
		sentence string
		want     []piece
	}{
		{"read the log", []piece{{"read the log", false}}},
		{"read `command.log` first", []piece{{"read ", false}, {"command.log", true}, {" first", false}}},
		{"`kubectl get pods`", []piece{{"kubectl get pods", true}}},
	} {
		if got := pieces(row.sentence); !slices.Equal(got, row.want) {
			t.Errorf("%q: %v, want %v", row.sentence, got, row.want)
		}
	}
}
