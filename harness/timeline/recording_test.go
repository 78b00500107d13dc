package timeline_test

import (
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
)

const ms = time.Millisecond

func fresh(id, node string) evidence.Lane {
	return evidence.Lane{ID: id, Vantage: evidence.FromPod, Node: node, Conn: evidence.Fresh, Rate: 100}
}

// paced makes one hit every 10 ms from 10 ms on, one per letter: 1 and 2 are good replies of v1
// and v2 by pods of that name, x is refused.
func paced(lane, outcomes string) []evidence.Hit {
	hits := make([]evidence.Hit, len(outcomes))
	for i, letter := range outcomes {
		due := time.Duration(i+1) * 10 * ms
		hits[i] = evidence.Hit{Lane: lane, Seq: uint64(i), Due: due, Sent: due, Took: 2 * ms, Attempts: 1}
		if letter == 'x' {
			hits[i].Fault = evidence.Refused
			continue
		}
		hits[i].Status = 200
		hits[i].By = evidence.Server{Version: "v" + string(letter), Pod: "pod-v" + string(letter)}
	}
	return hits
}

// marks sets the four phase marks, in milliseconds.
func marks(begun, rollout, gone, ended int) []evidence.Event {
	events := make([]evidence.Event, 4)
	for i, at := range []int{begun, rollout, gone, ended} {
		events[i] = evidence.Event{At: time.Duration(at) * ms, Kind: timeline.Timeline{}.PhaseMarks()[i]}
	}
	return events
}

func pod(at int, kind evidence.EventKind, version, name string) evidence.Event {
	return evidence.Event{At: time.Duration(at) * ms, Kind: kind, By: evidence.Server{Version: version, Pod: name}}
}

// Streams are a recording that a test may change.
type streams struct {
	Run      evidence.Run
	Hits     []evidence.Hit
	Arrivals []evidence.Arrival // nil: not recorded
	Events   []evidence.Event

	Connections []evidence.Connection // nil: recorded by an earlier build
}

func (r streams) evidence() evidence.Evidence {
	ev := evidence.Evidence{Run: r.Run, Hits: evidence.Hits(r.Hits), Events: r.Events}
	if r.Arrivals != nil {
		ev.Arrivals = evidence.Arrivals(r.Arrivals)
	}
	if r.Connections != nil {
		ev.Connections = evidence.Connections(r.Connections)
	}
	return ev
}

func recording(hits []evidence.Hit, events []evidence.Event, lanes ...evidence.Lane) streams {
	return streams{
		Run:  evidence.Run{Scenario: "drained", OldVersion: "v1", NewVersion: "v2", Lanes: lanes},
		Hits: hits, Events: events,
	}
}

func join(t *testing.T, r streams) timeline.Timeline {
	t.Helper()
	tl, err := timeline.Join(r.evidence())
	if err != nil {
		t.Fatal(err)
	}
	return tl
}

func textsOf(problems []timeline.Problem) (texts []string) {
	for _, p := range problems {
		texts = append(texts, p.Text)
	}
	return texts
}
