package loadgen

import (
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/rollcall/harness/evidence"
)

// TestSpoolLosesNoConnection opens and ends connections, notes events, is killed and is asked in any order. What was noted last of each
// connection is returned, and each event; the next process ends the connections that its predecessor had open.
func TestSpoolLosesNoConnection(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "spool")
		if err != nil {
			rt.Fatal(err)
		}
		buf := newSpooled(rt, openTestSpool(rt, dir, SpoolLimit))
		defer func() { buf.end() }()
		var rows []evidence.Connection // fetched
		var events, wantEvents []evidence.Event
		want := map[uint32]evidence.Connection{}
		numbers := &connections{lane: "a", clock: newClock(time.Now()), note: func(c evidence.Connection) {
			want[c.Number] = c
			buf.addConnection(c)
		}}
		alive := map[uint32]*connection{}
		at, seq := int64(0), uint64(0)
		fetch := func() {
			for {
				r, err := rangeFrom(buf, at)
				if err != nil {
					rt.Fatal(err)
				}
				rows, events = append(rows, r.Connections...), append(events, r.Events...)
				if at == r.Next {
					return
				}
				at = r.Next
			}
		}
		for range rapid.IntRange(1, 20).Draw(rt, "steps") {
			switch rapid.SampledFrom([]string{"open", "open", "tell", "end", "event", "send", "fetch", "kill"}).Draw(rt, "step") {
			case "open":
				c := numbers.opened(time.Now(), len(alive), 40000)
				alive[c.number()] = c
			case "tell":
				for _, c := range alive {
					c.told(evidence.GoAway)
				}
			case "end":
				for number, c := range alive {
					c.ended(evidence.EndFin)
					c.ended(evidence.EndOwn) // by whoever notices later
					delete(alive, number)
				}
			case "event":
				wantEvents = append(wantEvents, evidence.Event{Kind: evidence.ChannelState, Count: len(wantEvents)})
				buf.addEvent(wantEvents[len(wantEvents)-1])
			case "send": // into the next segment
				for range 12 {
					buf.add(evidence.Hit{Seq: seq, By: evidence.Server{Version: strings.Repeat("x", 100_000)}}, nil)
					seq++
				}
			case "fetch":
				fetch()
			case "kill":
				buf.log.close()
				buf, _, _ = killed(rt, dir)
				if err := buf.log.resume(seq, time.Hour); err != nil {
					rt.Fatal(err)
				}
				for number := range alive {
					c := want[number]
					c.Ended, c.End = time.Hour, evidence.EndAgent
					want[number] = c
				}
				alive = map[uint32]*connection{}
				if after := buf.numbered(); after < numbers.last+numbersLeftOut {
					rt.Fatalf("it goes on after %d, when %d were given", after, numbers.last)
				}
				numbers.last = buf.numbered()
			}
		}
		fetch()
		expected := slices.Collect(maps.Values(want))
		if diff := cmp.Diff(lastOf(expected), lastOf(rows)); diff != "" {
			rt.Fatalf("(-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(wantEvents, events); diff != "" {
			rt.Fatalf("events (-want +got):\n%s", diff)
		}
	})
}

// A lane whose protocol cannot be opened does not begin, nor does any other of its agent, and one that cannot go on says why.
func TestAProtocolThatDoesNotOpen(t *testing.T) {
	const shut evidence.Protocol = "shut"
	var fails atomic.Bool
	var closed atomic.Int32
	fails.Store(true)
	protocols[shut] = protocol{check: func(_ evidence.Lane, cfg Config) error {
		if cfg.Timeout == time.Hour {
			return errors.New("it ends no request in an hour")
		}
		return nil
	}, open: func(lane evidence.Lane, _ Config, noted *connections) (exchanger, error) {
		noted.opened(time.Now(), 0, 1) // before it fails
		if fails.Load() && lane.ID == "second" {
			return nil, errors.New("nobody answers")
		}
		return closes{&closed}, nil
	}}
	t.Cleanup(func() { delete(protocols, shut) })
	first, second := evidence.Lane{ID: "first", Protocol: shut, Rate: 1}, evidence.Lane{ID: "second", Protocol: shut, Rate: 1}
	cfg := Config{Began: time.Now(), Service: "shop", Timeout: patient}

	_, err := Start(t.Context(), second, cfg)
	wantError(t, err, `loadgen: open lane "second": nobody answers`)
	slow := cfg
	slow.Timeout = time.Hour
	_, err = Start(t.Context(), first, slow)
	wantError(t, err, `loadgen: start lane "first": it ends no request in an hour`)

	dir := t.TempDir()
	_, remote := serveSpooled(t, dir)
	err = remote.Start(t.Context(), []evidence.Lane{first, second}, cfg)
	wantError(t, err, `502 Bad Gateway: loadgen: open lane "second": nobody answers`)
	if n := closed.Load(); n != 1 {
		t.Errorf("%d exchangers were closed, want that of the first lane", n)
	}

	fails.Store(false)
	if err := remote.Start(t.Context(), []evidence.Lane{first, second}, cfg); err != nil {
		t.Fatal(err)
	}
	fails.Store(true)
	agent, again := serveSpooled(t, copied(t, dir))
	status, err := again.Status(t.Context())
	if err != nil || status.Troubles["second"] != `loadgen: open lane "second": nobody answers` || status.Troubles["first"] != "" {
		t.Errorf("troubles %v, %v", status.Troubles, err)
	}
	agent.Stop()
	rows := fetchedConnections(t, again, "second")
	if len(rows) != 2 || rows[0].End != evidence.EndAgent || rows[1].End != "" || rows[1].Number < numbersLeftOut {
		t.Errorf("connections of the lane that does not go on: %+v", rows)
	}
}

// closes is an exchanger that counts how often it is closed.
type closes struct{ closed *atomic.Int32 }

func (closes) exchange(request, *evidence.Hit) []error { return nil }

func (c closes) close() { c.closed.Add(1) }

// fetchedConnections returns what an agent noted last of each connection of a lane that has ended.
func fetchedConnections(t *testing.T, agent Remote, lane string) (rows []evidence.Connection) {
	t.Helper()
	for at, end := int64(0), false; !end; {
		r, err := agent.HitsFrom(t.Context(), lane, at)
		if err != nil {
			t.Fatal(err)
		}
		rows, at, end = append(rows, r.Connections...), r.Next, r.End
	}
	return lastOf(rows)
}
