package page_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
)

func TestASpoiltScenarioHasNoTimelineAndSaysWhatIsMissing(t *testing.T) {
	for name, row := range map[string]struct {
		spoil func(folder string) error
		says  string
	}{
		"run.json was taken away":              {removing(evidence.RunFile), "evidence/iptables/recorded/drained has no run.json"},
		"run.json is half there":               {halving(evidence.RunFile), "evidence/iptables/recorded/drained/run.json"},
		"the hits were taken away":             {removing(evidence.HitsFile), "hits.parquet"},
		"the hits are half there":              {halving(evidence.HitsFile), "hits.parquet"},
		"the arrivals are half there":          {halving(evidence.ArrivalsFile), "arrivals.parquet"},
		"the events are half there":            {halving(evidence.EventsFile), "events.jsonl"},
		"it was recorded by a newer Rollcall":  {newer, "schema 99"},
		"no request was ever sent":             {silent, "0 requests were recorded on 7 lanes"},
		"it was cut off while it was recorded": {cuttingOff, "cut off"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := recordedFolder(t)
			if err := row.spoil(placeOf(dir, "iptables", "recorded", "drained")); err != nil {
				t.Fatal(err)
			}
			html := string(write(t, dir))
			spoilt := article(t, html, "iptables.recorded.drained")
			if strings.Contains(spoilt, "<svg class=\"drawing\"") || !strings.Contains(spoilt, "There is no timeline") {
				t.Error("it has a timeline, or does not say that there is none")
			}
			if !strings.Contains(spoilt, row.says) {
				t.Errorf("it does not say %q:\n%s", row.says, spoilt[:min(len(spoilt), 2000)])
			}
			if strings.Contains(spoilt, dir) {
				t.Error("it names a folder of this machine")
			}
			if !strings.Contains(article(t, html, "nftables.recorded.drained"), "<svg class=\"drawing\"") {
				t.Error("the scenario beside it lost its timeline")
			}
		})
	}
}

// article returns the part of a page about one scenario in one mode.
func article(t *testing.T, html, name string) string {
	t.Helper()
	_, rest, ok := strings.Cut(html, `<article id="`+name+`"`)
	part, _, ended := strings.Cut(rest, "</article>")
	if !ok || !ended {
		t.Fatalf("the page has no %s", name)
	}
	return part
}

func removing(name string) func(string) error {
	return func(folder string) error { return os.Remove(filepath.Join(folder, name)) }
}

func halving(name string) func(string) error {
	return func(folder string) error {
		path := filepath.Join(folder, name)
		data, err := os.ReadFile(path)
		return errors.Join(err, os.WriteFile(path, data[:len(data)/2], 0o644))
	}
}

func newer(folder string) error {
	return rerun(folder, func(run *evidence.Run) { run.Schema = 99 })
}

// cuttingOff leaves what a process leaves that dies while it records.
func cuttingOff(folder string) error {
	var run evidence.Run
	err := store.ReadJSON(filepath.Join(folder, evidence.RunFile), &run)
	run.Files = nil
	err = errors.Join(err, os.RemoveAll(folder))
	recorder, recording := store.Record(folder, run)
	if recording == nil {
		recorder.Abort()
	}
	return errors.Join(err, recording)
}

// silent records the same run without a request.
func silent(folder string) error {
	ev, err := store.Read(folder)
	ev.Hits, ev.Arrivals = evidence.Hits(nil), evidence.Arrivals(nil)
	return errors.Join(err, os.RemoveAll(folder), store.Write(folder, ev))
}

func rerun(folder string, edit func(*evidence.Run)) error {
	path := filepath.Join(folder, evidence.RunFile)
	var run evidence.Run
	err := store.ReadJSON(path, &run)
	edit(&run)
	return errors.Join(err, store.WriteJSON(path, run))
}

func TestARunOfAnOlderRollcallIsDrawn(t *testing.T) {
	html := string(write(t, recordedFolder(t)))
	if n := strings.Count(html, `<svg class="drawing"`); n != 5 {
		t.Errorf("%d of 5 recordings are drawn", n)
	}
}

func TestAnEmptyRunSaysSo(t *testing.T) {
	dir := t.TempDir()
	writeJSON(t, filepath.Join(dir, "evidence", evidence.SessionFile), evidence.Session{Schema: 1, ID: "empty", Began: began})
	html := string(write(t, dir))
	for _, says := range []string{"No scenario was recorded", "the run was cut off, or has not ended"} {
		if !strings.Contains(html, says) {
			t.Errorf("it does not say %q", says)
		}
	}
}

func TestAScenarioWithoutLoadHasFactsAndNoTimeline(t *testing.T) {
	dir := t.TempDir()
	writeJSON(t, filepath.Join(dir, "evidence", evidence.SessionFile), evidence.Session{Schema: 1, ID: "unloaded", Began: began})
	writeJSON(t, filepath.Join(dir, "evidence", "iptables", evidence.ClusterFile), evidence.Cluster{Mode: "iptables"})
	record(t, dir, evidence.Evidence{
		Run: evidence.Run{Suite: "rollout", Scenario: "strategies", Mode: "iptables", Attempt: 1, Unloaded: true,
			Expect: []evidence.Expectation{{Rule: "fact", Fact: "surge 200%", Values: []string{"accepted"}}}},
		Events: []evidence.Event{{At: 2e9, Kind: evidence.Fact, Object: "surge 200%", Detail: "accepted"}},
	})
	unloaded := article(t, string(write(t, dir)), "iptables.rollout.strategies")
	if strings.Contains(unloaded, "timeline") ||
		!strings.Contains(unloaded, "<td>surge 200%</td><td>accepted</td><td class=\"n\">2.000 s</td>") {
		t.Errorf("it has a timeline or lacks its fact:\n%s", unloaded)
	}
}
