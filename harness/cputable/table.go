package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// A table is where processor time went. Percents are of one processor.
type table struct {
	Run        string  `json:"run"`
	Mode       string  `json:"mode"`
	Scenario   string  `json:"scenario"`
	Phase      string  `json:"phase"`
	Seconds    float64 `json:"seconds"`
	Requests   float64 `json:"requests_per_second"`
	Told       string  `json:"requests_told"` // who tells how many those are
	Processors int     `json:"processors"`
	Busy       float64 `json:"busy_percent"` // as /proc/stat has it
	Stolen     float64 `json:"stolen_percent"`
	Load       []row   `json:"load"`
	Harness    []row   `json:"rig"`
	Others     []row   `json:"others"`     // the most of the harness's "other"
	Itself     row     `json:"itself"`     // in neither sum
	Neighbours row     `json:"neighbours"` // likewise
	LoadSum    row     `json:"load_sum"`
	HarnessSum row     `json:"rig_sum"`
}

// A row is what a group spent.
type row struct {
	Group      string  `json:"group"`
	Percent    float64 `json:"percent"`
	PerRequest float64 `json:"us_per_request"`
}

func (t table) row(group string, percent float64) row {
	r := row{Group: group, Percent: percent}
	if t.Requests > 0 {
		r.PerRequest = percent / 100 * 1e6 / t.Requests
	}
	return r
}

func (t table) sum(group string, rows []row) row {
	percent := 0.0
	for _, r := range rows {
		percent += r.Percent
	}
	return t.row(group, percent)
}

// write writes the table for a person.
func (t table) write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Processor time of %s in %s, %s, over %.1f s; %s\n", t.Scenario, t.Mode, t.Phase, t.Seconds, t.Run)
	fmt.Fprintf(&b, "%.0f requests per second: %s\n\n", t.Requests, t.Told)
	fmt.Fprintf(&b, "%-26s %8s %11s\n", "", "% of one", "µs/request")
	line := func(r row, more string) {
		fmt.Fprintf(&b, "%s\n", strings.TrimRight(fmt.Sprintf("%-26s %8.1f %11.1f  %s", r.Group, r.Percent, r.PerRequest, more), " "))
	}
	for _, r := range t.Load {
		line(r, "")
	}
	for _, r := range t.Harness {
		more := ""
		if r.Group == string(other) {
			more = t.othersLine()
		}
		line(r, more)
	}
	b.WriteByte('\n')
	line(t.LoadSum, "agent, echo, softirq")
	line(t.HarnessSum, "all else of the run")
	line(t.Neighbours, "here before the run, no container engine")
	rows := t.LoadSum.Percent + t.HarnessSum.Percent + t.Neighbours.Percent + t.Itself.Percent
	fmt.Fprintf(&b, "\n/proc/stat has %.1f busy of %d, %.1f stolen. The rows have %.1f, with %.1f of this program.\n"+
		"If /proc/stat has more, short-lived processes had it; if less, softirqs were counted to whom they interrupted too.\n",
		t.Busy, 100*t.Processors, t.Stolen, rows, t.Itself.Percent)
	_, err := io.WriteString(w, b.String())
	return err
}

// writeJSON writes it for a program that compares commits.
func (t table) writeJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(t)
}
