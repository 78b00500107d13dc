package page_test

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// nasty ends every context that recorded text can be in, and then runs something.
const nasty = `"'></script></svg><img src=x onerror=alert(1)>&{{.}}` + "`${1}"

// nastyFolder records a rollout in which every name and text is nasty; its lane fails once under each version.
func nastyFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	writeJSON(t, filepath.Join(dir, "evidence", evidence.SessionFile), evidence.Session{Schema: 1, ID: nasty, Began: began,
		Version: nasty, Command: nasty, Broken: []string{nasty}, Profile: nasty, LeftOut: 1, Steps: []string{nasty}})
	writeJSON(t, filepath.Join(dir, "evidence", "iptables", evidence.ClusterFile), evidence.Cluster{
		Name: nasty, Mode: "iptables", Kernel: nasty, Features: []evidence.Feature{{Name: nasty, Because: nasty}},
	})
	by := func(version string) evidence.Server {
		return evidence.Server{Version: version + nasty, Pod: version + "-" + nasty, Node: nasty}
	}
	ev := evidence.Evidence{
		Run: evidence.Run{
			Suite: "rollout", Scenario: "nasty", Mode: "iptables", Attempt: 1, Claim: nasty, Covers: []string{nasty}, Kubernetes: nasty,
			Limits:     []evidence.Limit{{ID: nasty, Text: nasty}},
			Bug:        &evidence.Bug{Component: nasty, Fixed: nasty},
			Disruption: &evidence.Disruption{ID: nasty, Does: nasty, Nodes: []string{nasty}},
			OldVersion: "v1" + nasty, NewVersion: "v2" + nasty, Expect: []evidence.Expectation{verdict.NoFailures()},
			Lanes: []evidence.Lane{{ID: nasty, Vantage: evidence.FromPod, Node: nasty, Conn: evidence.Fresh, Rate: 100}},
		},
		Events: []evidence.Event{
			{At: 0, Kind: evidence.PodReady, By: by("v1")}, {At: 0, Kind: evidence.LoadBegun}, {At: time.Second / 2, Kind: evidence.RolloutBegun},
			{At: time.Second, Kind: evidence.PodReady, By: by("v2")}, {At: time.Second, Kind: evidence.RuleGone, By: by("v1"), Object: nasty},
			{At: time.Second, Kind: evidence.Fact, Object: nasty, Detail: nasty},
			{At: time.Second / 2, Kind: evidence.DisruptionBegun, Detail: nasty},
			{At: time.Second / 2, Kind: evidence.Step, Object: nasty, Detail: nasty},
			{At: time.Second, Kind: evidence.NodeChanged, Object: nasty, Detail: nasty},
			{At: time.Second, Kind: evidence.PodGone, By: by("v1")}, {At: time.Second, Kind: evidence.OldGone}, {At: 2 * time.Second, Kind: evidence.LoadEnded},
		},
	}
	var hits []evidence.Hit
	for seq := range 200 {
		due := time.Duration(seq+1) * 10 * time.Millisecond
		h := evidence.Hit{Lane: nasty, Seq: uint64(seq), Due: due, Sent: due, Took: time.Millisecond, Status: 200, By: by("v1"), Attempts: 1}
		if due > time.Second {
			h.By = by("v2")
		}
		if seq%100 == 50 {
			h.Fault, h.Status, h.Attempts = evidence.BadStatus, []int16{503, unavailable}[seq/100], 2
		}
		hits = append(hits, h)
	}
	ev.Hits = evidence.Hits(hits)
	record(t, dir, ev)
	return dir
}

// unavailable is the code of an RPC.
const unavailable = 14

func TestRecordedTextIsText(t *testing.T) {
	html := string(write(t, nastyFolder(t)))
	if strings.Contains(html, "<img") {
		t.Error("an element came out of recorded text")
	}
	if n, ends := strings.Count(html, "<script"), strings.Count(html, "</script>"); n != 2 || ends != 2 {
		t.Errorf("it has %d scripts and %d ends of one", n, ends)
	}
	data := regexp.MustCompile(`(?s)<script type="application/json">(.*?)</script>`).FindStringSubmatch(html)
	var chart struct {
		Lanes []string
		Pods  []struct{ Name string }

		Statuses []string
	}
	if err := json.Unmarshal([]byte(data[1]), &chart); err != nil || chart.Lanes[0] != nasty || chart.Pods[0].Name != "v1-"+nasty {
		t.Errorf("the names do not arrive as they are: %v %q", err, chart)
	}
	if want := []string{"503", "Unavailable"}; !slices.Equal(chart.Statuses, want) {
		t.Errorf("the statuses are %q, want %q", chart.Statuses, want)
	}
}

func TestRecordedTextIsTextInABrowser(t *testing.T) {
	v := newVisit(t, 1440)
	v.open(written(t, nastyFolder(t)), "iptables.rollout.nasty")
	v.await(".plots")
	v.click(".witnesses a")
	v.await(".request")
	if n := ask[int](v, all("img")+`.length`); n != 0 {
		t.Errorf("recorded text became %d elements", n)
	}
	if card := ask[string](v, one(".request")+`.textContent`); !strings.Contains(card, "v1-"+nasty) || !strings.Contains(card, "bad_status 503, sent again") {
		t.Errorf("the request shown is %s", card)
	}
	v.click(".witnesses tbody tr:nth-child(2) a")
	if card := ask[string](v, one(".request")+`.textContent`); !strings.Contains(card, "bad_status Unavailable, sent again") {
		t.Errorf("the request of an RPC shown is %s", card)
	}
	v.shoot("nasty.png")
}
