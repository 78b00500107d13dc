package page

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/reports/model"
)

func TestOutageText(t *testing.T) {
	for _, row := range []struct {
		sentence string
		o        model.Outage
		want     string
	}{
		{"it says after which step it began",
			model.Outage{Lane: "worker-fresh", Length: 3200, Failed: 1047, Step: "worker: drain", After: new(400.0)},
			"1,047 failed on worker-fresh for 3.20 s, from 400 ms after: worker: drain"},
		{"and which steps came meanwhile",
			model.Outage{Lane: "a", Length: 20, Failed: 1, Step: "drain", After: new(0.0), Spans: []string{"reboot", "booted"}},
			"1 failed on a for 20 ms, from 0 ms after: drain; meanwhile: reboot, booted"},
		{"of many it names some",
			model.Outage{Lane: "a", Length: 20, Failed: 1, Step: "drain", After: new(0.0), Spans: slices.Repeat([]string{"b"}, 7)},
			"1 failed on a for 20 ms, from 0 ms after: drain; meanwhile: b, b, b, b and 3 more"},
		{"one that nothing came before", model.Outage{Lane: "a", Length: 20, Failed: 1}, "1 failed on a for 20 ms, before any step"},
		{"one that did not end", model.Outage{Lane: "a", Length: 12_000, Failed: 600, Step: "cut", After: new(1500.0), Open: true},
			"600 failed on a for 12.0 s until the load ended, from 1.50 s after: cut"},
	} {
		if got := outageText(row.o); got != row.want {
			t.Errorf("%s: %q, want %q", row.sentence, got, row.want)
		}
	}
}

func TestAt(t *testing.T) {
	for _, row := range []struct {
		sentence string
		load     *float64 // seconds
		millis   float64
		want     string
	}{
		{"seconds, of a recording of minutes", new(200.0), 61_500.25, "61.500 s"},
		{"seconds, of one whose load is not known", nil, 3_600_000, "3600.000 s"},
		{"hours, minutes and seconds of one of hours", new(7200.0), 3_725_000, "1:02:05"},
		{"milliseconds where there are any", new(7200.0), 61_050, "0:01:01.050"},
	} {
		if got := (run{Scenario: model.Scenario{LoadSeconds: row.load}}).At(row.millis); got != row.want {
			t.Errorf("%s: %s, want %s", row.sentence, got, row.want)
		}
	}
}

func TestTicksOfHours(t *testing.T) {
	for _, row := range []struct {
		span time.Duration
		want []string // the first ones
		n    int
	}{
		{6 * time.Minute, []string{"0:00:00", "0:01:00"}, 7},
		{30 * time.Minute, []string{"0:00:00", "0:05:00"}, 7},
		{8 * time.Hour, []string{"0:00:00", "1:00:00"}, 9},
		{20 * 24 * time.Hour, []string{"0:00:00", "24:00:00"}, 21},
	} {
		c := &chart{To: row.span.Microseconds()}
		d := newDrawing(c, drawnWidth-gutter-margin)
		d.ticks(c, 0)
		var said []string
		for _, tick := range d.Ticks {
			said = append(said, tick.Text)
		}
		if len(said) != row.n || !cmp.Equal(said[:2], row.want) {
			t.Errorf("%s has ticks %v, want %d that begin with %v", row.span, said, row.n, row.want)
		}
	}
}
