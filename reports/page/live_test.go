package page_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/rollcall/harness/golden"
	"example.com/rollcall/harness/progress"
	"example.com/rollcall/reports/page"
)

// underWay returns a status in which one scenario is under way, and others have ended in each way that there is.
func underWay() progress.Status {
	named := func(mode, id string) progress.Name { return progress.Name{Mode: mode, Suite: "rollout", Scenario: id} }
	left, all := 40.0, 3725.0
	return progress.Status{Run: "sample-run", Began: began, Updated: began.Add(95 * time.Second), Left: &all,
		Running: []progress.Running{{Name: named("iptables", "drained"), Phase: "rolling out", Seconds: 21, Left: &left, Sent: 1200, Failed: 3,
			Replies: map[string]int{"v1": 1000, "v2": 197}, Trouble: nasty}},
		Ended: []progress.Ended{
			{Name: named("iptables", "defaults"), Result: progress.Result{Outcome: "pass", Headline: "0 of 4,544 requests failed"}, Seconds: 30},
			{Name: named("iptables", "steady"), Result: progress.Result{Outcome: "inconclusive", Because: "the load was late"}, Seconds: 29},
			{Name: named("ipvs", "defaults"), Result: progress.Result{Outcome: "skipped", Because: "no IP_VS"}},
			{Name: named("ipvs", "drained"), Result: progress.Result{Outcome: "skipped", Because: "no IP_VS"}},
			{Name: named("iptables", "undrained"), Result: progress.Result{Outcome: "fail", Headline: nasty}, Seconds: 31},
		},
		Expected: []progress.Expected{{Name: named("iptables", "drained")}, {Name: named("iptables", "to-come")}}}
}

func TestALivePage(t *testing.T) {
	var b bytes.Buffer
	if err := page.Live(&b, underWay(), "out/sample-run/index.html"); err != nil {
		t.Fatal(err)
	}
	got := body(b.Bytes())
	golden.File(t, "testdata/live.html", got)
	if strings.Contains(string(got), "<img") {
		t.Error("an element came out of text")
	}
}

// The page updates itself, says when there is no answer, and goes on when there is one again.
func TestALivePageInABrowser(t *testing.T) {
	var now atomic.Pointer[progress.Status] // nil: there is no answer
	first := underWay()
	now.Store(&first)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		s := now.Load()
		if s == nil {
			http.Error(w, "gone", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if err := page.Live(w, *s, "out/sample-run/index.html"); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	v := newVisit(t, 1280)
	v.from = server.URL
	v.visit(server.URL + "/")
	v.await("#running td.bad")
	v.shoot("live.png")

	second := underWay()
	second.Running[0].Failed = 44
	now.Store(&second)
	v.awaitText("#running td.bad", "44")
	if silent := ask[bool](v, one("#over")+`.hidden`); !silent {
		t.Error("it says that there is no answer")
	}
	now.Store(nil)
	v.await("#over")
	now.Store(&first)
	v.awaitText("#running td.bad", "3")
}
