package page_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/page"
)

// States of channels are said of the requests that they explain, and nothing else comes of them.
func TestStatesOfChannels(t *testing.T) {
	of := func(states bool) (html, report string) {
		dir := t.TempDir()
		writeJSON(t, filepath.Join(dir, "evidence", evidence.SessionFile), evidence.Session{Schema: 1, ID: "channels", Began: began})
		ev, err := store.Read(filepath.Join("..", "testdata", "recorded", "iptables-undrained"))
		if err != nil {
			t.Fatal(err)
		}
		for at := 14 * time.Second; states && at < 20*time.Second; at += 10 * time.Millisecond {
			ev.Events = append(ev.Events, evidence.Event{At: at, Clock: "rollcall-iptables-worker2", Kind: evidence.ChannelState,
				Object: "worker2-fresh", Detail: "TRANSIENT_FAILURE"})
		}
		record(t, dir, ev)
		p := page.New(dir)
		r, err := reports.Collect(dir, p).Report()
		if err != nil {
			t.Fatal(err)
		}
		var onPage, inReport bytes.Buffer
		if err := p.Write(&onPage, r); err != nil {
			t.Fatal(err)
		}
		if err := reports.JSON(&inReport, r); err != nil {
			t.Fatal(err)
		}
		return strings.ReplaceAll(onPage.String(), "\u00a0", " "), inReport.String()
	}
	html, report := of(true)
	without, reportWithout := of(false)
	if report != reportWithout {
		t.Error("report.json is another one")
	}
	row := html[strings.Index(html, `data-lane="worker2-fresh" data-seq="148"`):]
	cell := `<small class="wide">channel 0 was TRANSIENT_FAILURE, since 0.00`
	if row = row[:strings.Index(row, "</tr>")]; !strings.Contains(row, cell) {
		t.Errorf("it lacks %s: %s", cell, row)
	}
	for {
		from := strings.Index(html, cell)
		if from < 0 {
			break
		}
		html = html[:from] + html[from+strings.Index(html[from:], "</small>")+len("</small>"):]
	}
	if html != without {
		t.Errorf("the page has %d bytes more", len(html)-len(without))
	}
}
