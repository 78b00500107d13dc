package reports_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"example.com/rollcall/harness/golden"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/model"
)

//go:generate go test . -update

// printed returns what a writer writes of a report.
func printed(t *testing.T, write reports.Writer, r model.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWriters(t *testing.T) {
	r, err := reports.Load(runFolder(t))
	if err != nil {
		t.Fatal(err)
	}
	empty, err := reports.Load(emptyFolder(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name   string
		write  reports.Writer
		report model.Report
	}{
		{"report.json", reports.JSON, r},
		{"junit.xml", reports.JUnit, r},
		{"summary.md", reports.Markdown, r},
		{"terminal.txt", reports.Terminal, r},
		{"metrics.prom", reports.Metrics, r},
		{"annotations.txt", reports.Annotations, r},
		{"empty-report.json", reports.JSON, empty},
		{"empty-junit.xml", reports.JUnit, empty},
		{"empty-summary.md", reports.Markdown, empty},
		{"empty-terminal.txt", reports.Terminal, empty},
		{"empty-metrics.prom", reports.Metrics, empty},
		{"empty-annotations.txt", reports.Annotations, empty},
	} {
		t.Run(row.name, func(t *testing.T) {
			golden.File(t, "testdata/"+row.name, printed(t, row.write, row.report))
		})
	}
}

func TestEveryWriterReportsAFullDisk(t *testing.T) {
	for name, write := range map[string]reports.Writer{
		"json": reports.JSON, "junit": reports.JUnit, "markdown": reports.Markdown, "terminal": reports.Terminal,
		"metrics": reports.Metrics, "annotations": reports.Annotations,
	} {
		if err := write(full{}, model.Report{}); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestRecordedTextCannotSpoilAReport(t *testing.T) {
	nasty := "a\x00b\x1b[31m\ufffe\u202ec\xff|<d>&\n\"e\""
	r := model.Report{Run: model.Run{Profile: nasty, LeftOut: 1, Steps: []string{nasty}}, Scenarios: []model.Scenario{{
		Suite: nasty, ID: nasty, Mode: nasty, Claim: nasty, Because: nasty, Outcome: verdict.Fail,
		Rules: []model.Rule{{ID: nasty, Because: nasty, Outcome: verdict.Fail}},
		Bug:   &model.Bug{Issue: nasty, Component: nasty, Versions: []string{nasty}, Known: true, Fixed: nasty, Answer: verdict.Affected},
	}}}
	junit := printed(t, reports.JUnit, r)
	var parsed struct {
		Text string `xml:"testsuite>testcase>failure"`
	}
	if err := xml.Unmarshal([]byte(junit), &parsed); err != nil || !strings.Contains(parsed.Text, "a\ufffdb\ufffd[31m") {
		t.Errorf("junit parses to %q: %v\n%s", parsed.Text, err, junit)
	}
	if strings.ContainsAny(junit, "\x00\x1b\ufffe") {
		t.Errorf("junit carries characters XML cannot: %q", junit)
	}
	if text := printed(t, reports.Terminal, r); strings.ContainsAny(text, "\x00\x1b\u202e") || strings.Count(text, "\n") != 10 {
		t.Errorf("the terminal was spoiled: %q", text)
	}
	if text := printed(t, reports.Markdown, r); strings.Contains(text, "<d>") || strings.ContainsAny(text, "\x00\x1b\u202e") {
		t.Errorf("the summary was spoiled: %q", text)
	}
	if _, err := metricsParser().TextToMetricFamilies(strings.NewReader(printed(t, reports.Metrics, r))); err != nil {
		t.Errorf("the metrics were spoiled: %v", err)
	}
	if text := printed(t, reports.Annotations, r); strings.ContainsAny(text, "\x00\x1b\u202e\r") || strings.Count(text, "\n") != 2 {
		t.Errorf("the annotations were spoiled: %q", text)
	}
}
