package loadgen

import (
	"net/http"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
)

// A StepClient sends the headers of its settings beside those of the lane.
func TestStepClientSendsMoreHeaders(t *testing.T) {
	var got http.Header
	server := serveApp(t, func(_ http.ResponseWriter, r *http.Request) { got = r.Header })
	client, err := NewStepClient(evidence.Lane{ID: "q", Vantage: evidence.FromHost, Conn: evidence.Fresh, Target: server.URL, Steps: true},
		Config{Began: time.Now(), Service: "shop", Timeout: patient, Header: http.Header{"X-Canary": {"always"}}})
	if err != nil {
		t.Fatal(err)
	}
	if hit, trouble := client.Request(); hit.Failed() || trouble != nil {
		t.Fatal(hit, trouble)
	}
	if got.Get("X-Canary") != "always" || got.Get(laneHeader) != "q" {
		t.Errorf("it sent %v", got)
	}
}

// Requests of a StepClient have numbers and names like a lane's, over new connections or over a kept one.
func TestAsker(t *testing.T) {
	for _, row := range []struct {
		sentence string
		conn     evidence.Conn
		hangUp   bool // before the third request
		reused   []bool
	}{
		{"each request has its own connection", evidence.Fresh, false, []bool{false, false, false}},
		{"all requests share a connection", evidence.Reused, false, []bool{false, true, true}},
		{"a request after HangUp opens another", evidence.Reused, true, []bool{false, true, false}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			var lanes, numbers []string
			server := serveApp(t, func(_ http.ResponseWriter, r *http.Request) {
				lanes, numbers = append(lanes, r.Header.Get(laneHeader)), append(numbers, r.Header.Get(seqHeader))
			})
			asker, err := NewStepClient(evidence.Lane{ID: "q", Vantage: evidence.FromHost, Conn: row.conn, Target: server.URL, Steps: true},
				Config{Began: time.Now(), Service: "shop", Timeout: patient})
			if err != nil {
				t.Fatal(err)
			}
			defer asker.HangUp()
			var reused []bool
			for i := range 3 {
				if i == 2 && row.hangUp {
					asker.HangUp()
				}
				hit, trouble := asker.Request()
				if trouble != nil || hit.Failed() || hit.Seq != uint64(i) || hit.Lane != "q" || hit.Due != hit.Sent ||
					hit.By.Pod != "shop-v1-abc" {
					t.Errorf("request %d: %+v, %v", i, hit, trouble)
				}
				reused = append(reused, hit.Reused)
			}
			if !slices.Equal(reused, row.reused) {
				t.Errorf("went over a connection from before: %v, want %v", reused, row.reused)
			}
			if !slices.Equal(lanes, []string{"q", "q", "q"}) || !slices.Equal(numbers, []string{"0", "1", "2"}) {
				t.Errorf("the app got numbers %v of lanes %v", numbers, lanes)
			}
		})
	}
}

// A StepClient's requests are judged from the folder alone.
func TestAskedIsJudgedFromItsFolder(t *testing.T) {
	app := serveApp(t, nil)
	for _, row := range []struct {
		sentence, target string
		want             []verdict.Outcome
	}{
		{"an app that answers", app.URL, []verdict.Outcome{verdict.Pass, verdict.Fail}},
		{"a port that refuses", "http://" + refusing(t), []verdict.Outcome{verdict.Fail, verdict.Pass}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			lane := evidence.Lane{ID: "q", Vantage: evidence.FromHost, Conn: evidence.Fresh, Target: row.target, Steps: true}
			run := evidence.Run{Scenario: "asks", Began: time.Now(), Unloaded: true, Lanes: []evidence.Lane{lane},
				Expect: []evidence.Expectation{verdict.AllAnswered("q"), verdict.AllFail("q", evidence.Refused)}}
			dir := filepath.Join(t.TempDir(), "asks")
			folder, err := store.Record(dir, run)
			if err != nil {
				t.Fatal(err)
			}
			asker, err := NewStepClient(lane, Config{Began: run.Began, Service: "shop", Timeout: patient})
			if err != nil {
				t.Fatal(err)
			}
			for range 3 {
				hit, _ := asker.Request()
				folder.Hits(hit)
				if !hit.Failed() {
					folder.Arrivals(evidence.Arrival{Lane: "q", Seq: hit.Seq, At: hit.Sent, By: hit.By})
				}
			}
			if err := folder.Finish(run); err != nil {
				t.Fatal(err)
			}
			ev, err := store.Read(dir)
			if err != nil {
				t.Fatal(err)
			}
			tl, err := timeline.Join(ev)
			if err != nil {
				t.Fatal(err)
			}
			v := verdict.Judge(ev.Run, tl)
			for i, f := range v.Findings {
				if f.Outcome != row.want[i] || f.Exposure.Count != 3 {
					t.Errorf("%s is %s, want %s: %s", f.Rule, f.Outcome, row.want[i], f.Because)
				}
			}
			if len(v.Distrust) > 0 {
				t.Errorf("the recording is distrusted: %+v", v.Distrust)
			}
		})
	}
}
