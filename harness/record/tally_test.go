package record

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/progress"
)

type nobody struct{}

func (nobody) LoggedHits([]byte, []evidence.Hit) {}

func (nobody) Connections(...evidence.Connection) {}

func (nobody) Event(evidence.Event) {}

type passedOn struct {
	nobody
	hits []evidence.Hit
}

func (p *passedOn) LoggedHits(_ []byte, hits []evidence.Hit) { p.hits = append(p.hits, hits...) }

func TestLoadThatIsTooMuch(t *testing.T) {
	lane, control := evidence.Lane{ID: "worker-fresh"}, evidence.Lane{ID: "worker-control", Vantage: evidence.FromControl}
	hits := func(n int, lag time.Duration, fault evidence.Fault) (list []evidence.Hit) {
		for i := range n {
			due := 2*time.Second + time.Duration(i)*10*time.Millisecond
			list = append(list, evidence.Hit{Lane: lane.ID, Seq: uint64(i), Due: due, Sent: due + lag, Fault: fault, Status: 200})
		}
		return list
	}
	for _, row := range []struct {
		sentence string
		hits     []evidence.Hit
		because  string
	}{
		{"clients that are in time", hits(100, 2*time.Millisecond, ""), ""},
		{"no client at all is not a late client", nil, ""},
		{"one late request of 200 is not a sign", append(hits(199, 2*time.Millisecond, ""), hits(1, time.Second, "")...), ""},
		{"three late requests of 100 are", append(hits(97, 2*time.Millisecond, ""), hits(3, time.Second, "")...),
			"3 of 100 requests of worker-fresh were sent over 0.050 s late"},
		{"a failed request to the app is for the verdict to judge", append(hits(99, 0, ""), hits(1, 0, evidence.Timeout)...), ""},
		{"a failed request of the control lane is the machine's fault",
			[]evidence.Hit{{Lane: control.ID, Due: 3 * time.Second, Sent: 3 * time.Second, Fault: evidence.Timeout}},
			"1 of 1 requests of worker-control, which no rollout touches, failed"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			seen := newTally(nobody{}, []evidence.Lane{lane, control})
			seen.countFrom(2 * time.Second)
			seen.count(evidence.Hit{Lane: lane.ID, Due: time.Second, Sent: 9 * time.Second}) // while connections are opened
			seen.count(row.hits...)
			got := seen.tooMuch()
			if (got == "") != (row.because == "") || !strings.Contains(got, row.because) {
				t.Errorf("%q, want %q", got, row.because)
			}
		})
	}
}

func TestWhatProgressLinesSay(t *testing.T) {
	lanes := []evidence.Lane{{ID: "worker-fresh"}, {ID: "outside-fresh"}, {ID: "worker-control", Vantage: evidence.FromControl}}
	seen := newTally(nobody{}, lanes)
	v1, v2 := evidence.Server{Version: "v1"}, evidence.Server{Version: "v2"}
	seen.count(evidence.Hit{Lane: "worker-fresh", By: v1}, evidence.Hit{Lane: "worker-fresh", Fault: evidence.BadStatus, By: v1})
	before := seen.soFar()
	seen.count(evidence.Hit{Lane: "outside-fresh", By: v2}, evidence.Hit{Lane: "outside-fresh"},
		evidence.Hit{Lane: "worker-control", Fault: evidence.Timeout},
		evidence.Hit{Lane: "worker-control", By: evidence.Server{Version: "control"}})
	many := newTally(nobody{}, lanes)
	most := map[string]int{"others": 250}
	for i := range 300 {
		version := strconv.Itoa(i)
		many.count(evidence.Hit{Lane: "worker-fresh", By: evidence.Server{Version: version}})
		if i < 50 {
			most[version] = 2
		}
	}
	for i := range 50 {
		many.count(evidence.Hit{Lane: "worker-fresh", By: evidence.Server{Version: strconv.Itoa(i)}})
	}
	passed := &passedOn{}
	astray := newTally(passed, lanes)
	astray.LoggedHits(nil, []evidence.Hit{{Lane: "of nobody", Fault: evidence.Timeout}, {Lane: "worker-fresh", By: v1}})
	if len(passed.hits) != 2 {
		t.Errorf("%d of 2 hits are recorded", len(passed.hits))
	}
	for _, row := range []struct {
		sentence string
		got      progress.Running
		want     progress.Running
	}{
		{"a failed request has no good reply", before, progress.Running{Sent: 2, Failed: 1, Replies: map[string]int{"v1": 1}}},
		{"all lanes count but those to control pods, and versions where replies name them", seen.soFar(),
			progress.Running{Sent: 4, Failed: 1, Replies: map[string]int{"v1": 1, "v2": 1}}},
		{"versions that come after the first 50 are counted together", many.soFar(), progress.Running{Sent: 350, Replies: most}},
		{"a hit of no lane of ours is left to the timeline", astray.soFar(), progress.Running{Sent: 1, Replies: map[string]int{"v1": 1}}},
	} {
		if diff := cmp.Diff(row.want, row.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.sentence, diff)
		}
	}
}
