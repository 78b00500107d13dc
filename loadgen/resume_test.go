package loadgen

import (
	"cmp"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/rollcall/harness/evidence"
)

// TestResumedPlans continues at the first number that is due later, and never with one that was sent.
func TestResumedPlans(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := planOf(evidence.Lane{Rate: rapid.IntRange(1, 5000).Draw(rt, "rate")})
		unsent := rapid.Uint64Range(0, 1000).Draw(rt, "sent")
		after := time.Duration(rapid.Int64Range(-int64(time.Second), int64(time.Minute)).Draw(rt, "after"))
		rest := p.resumed(unsent, after)
		first := rest.number(0)
		if first < unsent {
			rt.Fatalf("it goes on with %d, when %d is the first that was not sent", first, unsent)
		}
		if rest.due(0) <= after {
			rt.Fatalf("it goes on with what was owed after %s, which is not after %s", rest.due(0), after)
		}
		if before := rest.due(0) - p.interval; first > unsent && before > after {
			rt.Fatalf("it leaves out what is owed after %s, later than %s", before, after)
		}
		if rest.number(5) != first+5 {
			rt.Fatalf("number 5 is %d, after %d", rest.number(5), first)
		}
	})
}

// serveSpooled serves an agent with a spool, as its process does.
func serveSpooled(t *testing.T, dir string) (*Agent, Remote) {
	t.Helper()
	agent, err := NewAgent(AgentConfig{Token: token, Spool: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(agent.Stop)
	server := httptest.NewServer(agent)
	t.Cleanup(server.Close)
	return agent, Remote{URL: server.URL, Token: token, Client: server.Client()}
}

// copied returns a copy of the spool, as a process leaves it that is killed now while it writes nothing.
func copied(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

// TestAgentResumes kills an agent while it loads. The next one continues the plan, and together they have sent and seen every
// request of the lane, or know that it was in flight or left out.
func TestAgentResumes(t *testing.T) {
	var mu sync.Mutex
	arrived := map[string]map[uint64]int{}
	enough := make(chan struct{}, 1)
	app := serveApp(t, func(_ http.ResponseWriter, r *http.Request) {
		seq, _ := strconv.ParseUint(r.Header.Get(seqHeader), 10, 64)
		mu.Lock()
		defer mu.Unlock()
		lane := r.Header.Get("X-Vegeta-Attack")
		if arrived[lane] == nil {
			arrived[lane] = map[uint64]int{}
		}
		if arrived[lane][seq]++; len(arrived[lane])%25 == 0 {
			select {
			case enough <- struct{}{}:
			default:
			}
		}
	})
	lanes := []evidence.Lane{lane(evidence.Fresh, app.URL, 200), lane(evidence.Reused, app.URL, 200)}
	dir := t.TempDir()
	first, remote := serveSpooled(t, dir)
	began := time.Now().Add(-time.Hour)
	if err := remote.Start(t.Context(), lanes, Config{Began: began, Service: "shop", Timeout: patient}); err != nil {
		t.Fatal(err)
	}
	arrive(t, "load", enough)
	fetched := map[string]Range{}
	for _, lane := range lanes {
		r, err := remote.HitsFrom(t.Context(), lane.ID, 0)
		if err != nil {
			t.Fatal(err)
		}
		fetched[lane.ID] = r
	}

	first.Stop()                      // so that the app sees no request of it later; what is on the spool is as after a kill
	time.Sleep(2 * time.Second / 200) // two requests are due meanwhile, and left out
	left := copied(t, dir)
	second, remote := serveSpooled(t, left)
	status, err := remote.Status(t.Context())
	if err != nil || status.Instance != second.instance || status.Order != first.instance {
		t.Errorf("status %+v, %v, want one that goes on for %s", status, err, first.instance)
	}
	wantError(t, remote.Start(t.Context(), lanes, Config{Began: began, Service: "shop"}), "409 Conflict: already started")
	for len(enough) > 0 {
		<-enough
	}
	arrive(t, "load after the restart", enough)
	if err := remote.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	status, err = remote.Status(t.Context())
	absences := status.Absences
	if err != nil || len(absences) != len(lanes) {
		t.Fatalf("%d absences, %v, want one of each lane", len(absences), err)
	}
	for i, lane := range lanes {
		away := absences[i]
		if away.Lane != lane.ID || away.Why != "its container started again" || away.From >= away.To || len(away.Unknown) > 0 {
			t.Errorf("absence %+v", away)
		}
		if away.Since < time.Hour || away.Until < away.Since || away.Until > time.Hour+patient {
			t.Errorf("away from %s until %s, about an hour after the run began", away.Since, away.Until)
		}
		rest, _ := drain(t, remote, lane.ID, fetched[lane.ID].Next)
		got := append(fetched[lane.ID].Hits, rest...)
		slices.SortFunc(got, func(a, b evidence.Hit) int { return cmp.Compare(a.Seq, b.Seq) })
		next := uint64(0)
		for _, h := range got {
			if next == away.From {
				next = away.To
			}
			if h.Seq != next || h.Failed() || arrived[lane.ID][h.Seq] != 1 {
				t.Fatalf("%s: hit %+v, which arrived %d times, want a good one of number %d", lane.ID, h, arrived[lane.ID][h.Seq], next)
			}
			next++
		}
		if len(arrived[lane.ID]) != len(got) {
			t.Errorf("%s: %d requests arrived, and %d have a hit", lane.ID, len(arrived[lane.ID]), len(got))
		}
		plan := got[0].Due
		for _, h := range got {
			if off := h.Due - plan - time.Duration(h.Seq-got[0].Seq)*5*time.Millisecond; off.Abs() > 10*time.Millisecond {
				t.Fatalf("%s: number %d is owed %s off the plan", lane.ID, h.Seq, off)
			}
		}
	}

	third, remote := serveSpooled(t, copied(t, left)) // after the stop
	if again, err := remote.Status(t.Context()); err != nil || len(again.Absences) != len(absences) {
		t.Errorf("%d absences, %v, want those before", len(again.Absences), err)
	}
	for _, attack := range third.started() {
		if attack.client.buffer.over != true || attack.client.buffer.firstTrouble() != "" {
			t.Errorf("%s is loaded again: %s", attack.client.lane.ID, attack.client.buffer.firstTrouble())
		}
	}
}

// leave makes the spool of a killed process: it had begun so long ago, sent so many requests of a lane at 100 a second and got a
// reply to each except some.
func leave(t *testing.T, began time.Time, asked time.Time, sent int, unanswered ...uint64) string {
	t.Helper()
	s := openTestSpool(t, t.TempDir(), SpoolLimit)
	l := lane(evidence.Fresh, "http://127.0.0.1:1/", 100)
	log, err := s.newLane(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	buf := &buffer{}
	buf.spooled(log)
	for seq := range uint64(sent) {
		buf.begin(seq)
		if !slices.Contains(unanswered, seq) {
			buf.add(evidence.Hit{Lane: l.ID, Seq: seq}, nil)
		}
	}
	log.close()
	order := spooledOrder{Instance: "first", Boot: bootID(), Began: began, Order: startRequest{
		Config{Began: began, Service: "shop", Timeout: time.Millisecond}, []evidence.Lane{l}}}
	for name, value := range map[string]any{orderFile: order, stateFile: spoolState{Fetched: asked.UnixNano()}} {
		if err := s.write(name, value); err != nil {
			t.Fatal(err)
		}
	}
	return s.dir
}

// resumeAt continues with a spool, in a synctest bubble.
func resumeAt(t *testing.T, dir string) *Agent {
	t.Helper()
	agent, err := NewAgent(AgentConfig{Token: token, Spool: dir})
	if err != nil {
		t.Fatal(err)
	}
	return agent
}

func TestAbsences(t *testing.T) {
	const ms = time.Millisecond
	for _, row := range []struct {
		sentence string
		away     time.Duration // from the 100th request, which is sent after 1 s, on
		asked    time.Duration // before it went
		sent     int
		open     []uint64
		restarts int // more, at once
		want     []evidence.Absence
		trouble  string
	}{
		{"what was due is left out", 2005 * ms, 0, 100, nil, 0,
			[]evidence.Absence{{From: 100, To: 300, Since: 1010 * ms, Until: 3005 * ms}}, ""},
		{"what was in flight is unknown", 1005 * ms, 0, 100, []uint64{7, 99}, 0,
			[]evidence.Absence{{From: 100, To: 200, Since: 1010 * ms, Until: 2005 * ms, Unknown: []uint64{7, 99}}}, ""},
		{"so short that nothing is missing", 5 * ms, 0, 100, nil, 0, nil, ""},
		{"so short that only a request in flight is unknown", 5 * ms, 0, 100, []uint64{98}, 0,
			[]evidence.Absence{{From: 100, To: 100, Since: 1005 * ms, Until: 1005 * ms, Unknown: []uint64{98}}}, ""},
		{"killed again before it sent anything", 2005 * ms, 0, 100, []uint64{98}, 2,
			[]evidence.Absence{{From: 100, To: 300, Since: 1010 * ms, Until: 3005 * ms, Unknown: []uint64{98}}}, ""},
		{"nobody asked for its hits for too long", 2005 * ms, time.Hour, 100, []uint64{98}, 0,
			[]evidence.Absence{{From: 100, To: 100, Since: 1010 * ms, Until: 3005 * ms, Unknown: []uint64{98}}},
			"no collector contacted the agent for 5m0s, so it stopped"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				time.Sleep(time.Second)
				dir := leave(t, began, time.Now().Add(-row.asked), row.sent, row.open...)
				time.Sleep(row.away)
				agent := resumeAt(t, dir)
				defer agent.Stop()
				for range row.restarts { // before any time passes, and so before it sends anything
					dir = copied(t, dir)
					agent = resumeAt(t, dir)
					defer agent.Stop()
				}
				for i := range row.want {
					row.want[i].Lane, row.want[i].Why = "worker-fresh", "its container started again"
				}
				if diff := gocmp.Diff(row.want, agent.state.Absences); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				if got := agent.attacks[0].client.buffer.firstTrouble(); got != row.trouble {
					t.Errorf("trouble %q, want %q", got, row.trouble)
				}
			})
		})
	}
}

// A process that is killed right after it has noted an absence leaves the next one with the same absence, which is longer.
func TestAbsencesThatGoOn(t *testing.T) {
	var s spoolState
	for _, away := range []evidence.Absence{
		{Lane: "a", From: 100, To: 200, Until: 2, Unknown: []uint64{98}},
		{Lane: "b", From: 100, To: 200, Until: 2},
		{Lane: "a", From: 100, To: 300, Until: 3, Unknown: []uint64{97, 98}},
		{Lane: "a", From: 300, To: 300, Until: 3},
		{Lane: "a", From: 400, To: 500, Until: 4},
	} {
		s.note(away)
	}
	want := []evidence.Absence{
		{Lane: "a", From: 100, To: 300, Until: 3, Unknown: []uint64{97, 98}},
		{Lane: "b", From: 100, To: 200, Until: 2},
		{Lane: "a", From: 400, To: 500, Until: 4},
	}
	if diff := gocmp.Diff(want, s.Absences); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestNobodyAsks fetches nothing from an agent any more. It loads until its time is over, counted from the last fetch.
func TestNobodyAsks(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		agent := resumeAt(t, dir)
		defer agent.Stop()
		o := startRequest{Config{Began: time.Unix(0, 1), Service: "shop", Timeout: time.Millisecond, Unfetched: time.Minute},
			[]evidence.Lane{lane(evidence.Fresh, "http://127.0.0.1:1/", 20)}} // a stopped attacker ends at any of its requests by chance
		if err := agent.begin(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		over := func() bool {
			select {
			case <-agent.attacks[0].done:
				return true
			default:
				return false
			}
		}
		for range 3 {
			time.Sleep(50 * time.Second)
			agent.asked(time.Now())
		}
		if time.Sleep(59 * time.Second); over() {
			t.Error("it stopped within a minute of the last question")
		}
		if time.Sleep(5 * time.Second); !over() {
			t.Error("it loads on when nobody has asked for over a minute")
		}
		got := agent.attacks[0].client.buffer.firstTrouble()
		if want := "no collector contacted the agent for 1m0s"; !strings.HasPrefix(got, want) {
			t.Errorf("trouble %q, want %q", got, want)
		}
		_, _, state, err := openSpool(dir, SpoolLimit)
		if asked := time.Unix(0, state.Fetched); err != nil || time.Since(asked) > 64*time.Second+noteFetchedEvery {
			t.Errorf("the spool says that it was asked %s ago, %v", time.Since(asked), err)
		}
	})
}
