package live_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/progress"
	"example.com/rollcall/reports/live"
)

const secret = "of this host, and not of the run"

// runFolder is the folder of a run that is under way: one scenario, recorded on a cluster, has ended, and another goes on.
func runFolder(t *testing.T) string {
	t.Helper()
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "secret")
	folder := evidence.ScenarioFolder(dir, "iptables", "recorded", "undrained", 1)
	err := errors.Join(
		os.CopyFS(folder, os.DirFS("../testdata/recorded/iptables-undrained")),
		store.WriteJSON(evidence.SessionPath(dir), evidence.Session{Schema: 1, ID: "r", Began: time.Now()}),
		store.WriteJSON(evidence.ClusterPath(dir, "iptables"), evidence.Cluster{Mode: "iptables"}),
		os.WriteFile(outside, []byte(secret), 0o600), os.Symlink(outside, filepath.Join(dir, "leads-out")),
	)
	board, unopened := progress.Open(dir, "r", time.Now())
	if err := errors.Join(err, unopened); err != nil {
		t.Fatal(err)
	}
	named := func(id string) progress.Name { return progress.Name{Mode: "iptables", Suite: "recorded", Scenario: id} }
	board.Expect([]progress.Expected{{Name: named("undrained"), Seconds: 30}, {Name: named("drained"), Seconds: 40},
		{Name: named("later"), Seconds: 600}})
	ended, going := board.Entry(named("undrained")), board.Entry(named("drained"))
	ended.Begin()
	ended.End(progress.Result{Outcome: "fail", Headline: "56 requests failed"})
	going.Begin()
	going.Update(progress.Running{Phase: "rolling out", Sent: 1200, Failed: 3, Replies: map[string]int{"v1": 1000, "v2": 197}})
	return dir
}

// The time of the bubble stands still, so that the run takes as long as at its beginning.
func TestARunIsShown(t *testing.T) {
	rows := []struct {
		sentence     string
		method, host string // GET and 127.0.0.1 if they are empty
		path         string
		code         int
		says         []string
	}{
		{sentence: "the run, with what is under way, what ended, and how long it will take", path: "/", code: 200,
			says: []string{"rolling out", ">1,200<", `bad">3<`, "v1 1,000, v2 197", "10 min 40 s left", "1 of 3 scenarios done", "56 requests failed",
				`href="scenario?of=iptables/recorded/undrained"`}},
		{sentence: "a scenario that ended, drawn from its evidence", path: "/scenario?of=iptables/recorded/undrained", code: 200,
			says: []string{"<h3>recorded/undrained</h3>", `<figure class="timeline">`, `href="evidence/iptables/recorded/undrained/"`}},
		{sentence: "a scenario that goes on", path: "/scenario?of=iptables/recorded/drained", code: 404, says: []string{"has ended"}},
		{sentence: "a scenario by a way out of the folder", path: "/scenario?of=iptables/recorded/../recorded/undrained", code: 404},
		{sentence: "no scenario", path: "/scenario", code: 404},
		{sentence: "evidence", path: "/evidence/iptables/recorded/undrained/run.json", code: 200, says: []string{`"scenario"`}},
		{sentence: "a link that leads out of the folder", path: "/leads-out", code: 500},
		{sentence: "a way out of the folder", path: "/../secret", code: 307},
		{sentence: "a page whose own name was made to lead here", host: "rebound.example.com", path: "/", code: 403},
		{sentence: "such a page, with a port", host: "rebound.example.com:8080", path: "/status.json", code: 403},
		{sentence: "a tunnel from another host, with a port of its own", host: "localhost:8080", path: "/", code: 200},
		{sentence: "a request that is not to read", method: http.MethodPost, path: "/", code: 405},
	}
	synctest.Test(t, func(t *testing.T) {
		dir := runFolder(t)
		files, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer files.Close()
		shown := live.Handler(dir, files)
		for _, row := range rows {
			r := httptest.NewRequest(row.method, row.path, nil)
			r.Host = row.host
			if row.host == "" {
				r.Host = "127.0.0.1:1"
			}
			w := httptest.NewRecorder()
			shown.ServeHTTP(w, r)
			if w.Code != row.code || strings.Contains(w.Body.String(), secret) {
				t.Errorf("%s: status %d, want %d: %s", row.sentence, w.Code, row.code, w.Body)
			}
			for _, text := range row.says {
				if !strings.Contains(w.Body.String(), text) {
					t.Errorf("%s: %q is not in\n%s", row.sentence, text, w.Body)
				}
			}
		}
	})
}

func TestAServerAnswersUntilItIsClosed(t *testing.T) {
	s, err := live.Listen(live.AnyPort)
	if err != nil {
		t.Fatal(err)
	}
	url := s.URL()
	if !strings.HasPrefix(url, "http://127.0.0.1:") {
		t.Errorf("it is at %s", url)
	}
	if err := s.Show(runFolder(t)); err != nil {
		t.Fatal(err)
	}
	reply, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	page, err := io.ReadAll(reply.Body)
	reply.Body.Close()
	if err != nil || !strings.Contains(string(page), "rolling out") {
		t.Errorf("%v, %s", err, page)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if reply, err := http.Get(url); err == nil {
		reply.Body.Close()
		t.Errorf("it answers %s once it is closed", reply.Status)
	}
}

func TestAPortThatIsNotFree(t *testing.T) {
	first, err := live.Listen(live.AnyPort)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	_, port, _ := strings.Cut(strings.Trim(first.URL(), "/"), "127.0.0.1:")
	for _, port := range []string{port, "99999", "many"} {
		if s, err := live.Listen(port); err == nil {
			s.Close()
			t.Errorf("port %s was free", port)
		}
	}
}
