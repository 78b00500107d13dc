package try

import (
	"testing"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/harness/verdict/kept"
)

func TestWhatAMergeCosts(t *testing.T) {
	all := func(lost int) *losses { return &losses{lost: lost, of: 1000, outcome: verdict.Pass} }
	red := func(lost int) *losses { return &losses{lost: lost, of: 1000, outcome: verdict.Fail} }
	app := &App{}
	for _, row := range []struct {
		sentence string
		m        merge
		want     string
	}{
		{"nothing was recorded", merge{}, ""},
		{"nothing is lost", merge{base: all(0), merging: all(0), after: all(0)},
			"this merge loses 0 of 1,000, and each rollout after it 0 of 1,000"},
		{"it mends what runs", merge{base: all(50), merging: all(57), after: all(0)},
			"this merge loses 57 of 1,000 for the last time, by pods of main (a restart of which loses 50 of 1,000), and each rollout after it 0 of 1,000"},
		{"it breaks what runs, and shows it later", merge{base: all(0), merging: all(0), after: red(40)},
			"this merge loses 0 of 1,000, and each rollout after it 40 of 1,000"},
		{"it loses more than a restart does", merge{base: all(0), merging: red(9), after: all(0)},
			"this merge loses 9 of 1,000, more than a restart of main (0 of 1,000), and each rollout after it 0 of 1,000"},
		{"it never ends", merge{base: all(0), merging: all(0), unfinished: "its probe fails"},
			"the merge did not come to its end: its probe fails"},
		{"its restart was not recorded", merge{base: all(0), merging: all(0)}, "--base: no restart of what was merged was recorded"},
		{"it changes nothing", merge{base: all(0), after: all(0)}, "nothing is merged; a restart loses 0 of 1,000"},
		{"in one of several modes", merge{mode: "ipvs", base: all(0), merging: all(0), after: all(0)},
			"ipvs: this merge loses 0 of 1,000, and each rollout after it 0 of 1,000"},
	} {
		row.m.run, row.m.revision = &appRun{app: app}, "main"
		if got := row.m.result(); got != row.want {
			t.Errorf("%s: %q, want %q", row.sentence, got, row.want)
		}
	}
}

// A client may lose twice the share of its requests in the merge that one lost in a restart of the base.
func TestWhatAMergeMayLose(t *testing.T) {
	lane := func(lost, sent int) timeline.Lane {
		l := timeline.Lane{Lane: evidence.Lane{ID: "worker-fresh", Vantage: evidence.FromPod, Conn: evidence.Fresh},
			Failed: make([]timeline.Hit, lost)}
		l.Summary.Requests, l.Summary.SinceChange = sent, sent
		return l
	}
	for _, row := range []struct {
		sentence string
		lanes    []timeline.Lane
		want     int // thousandths
	}{
		{"the base loses nothing", []timeline.Lane{lane(0, 400)}, 0},
		{"its worst client counts", []timeline.Lane{lane(1, 400), lane(10, 400)}, 50},
		{"not more than all", []timeline.Lane{lane(300, 400)}, 1000},
		{"a client that sent nothing says nothing", []timeline.Lane{lane(0, 0)}, 0},
	} {
		m := merge{}
		m.restarted(kept.Recording{Timeline: timeline.Timeline{Lanes: row.lanes}}, "")
		if got := m.allowed(); got != row.want {
			t.Errorf("%s: %d, want %d", row.sentence, got, row.want)
		}
	}
}
