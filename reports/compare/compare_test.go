package compare_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/golden"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/compare"
	"example.com/rollcall/reports/model"
)

//go:generate go test . -update

func compared(t *testing.T, a, b compare.Side, pairs ...compare.Pair) compare.Comparison {
	t.Helper()
	c, err := compare.Compare(compare.Runs{a}, compare.Runs{b}, compare.Scope{Pairs: pairs})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func write(t *testing.T, form func(io.Writer, reports.Sheet) error, c compare.Comparison) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := form(&b, compare.Sheet(c)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func before(t *testing.T) string {
	return recorded{id: "before", modes: []string{"iptables", "nftables"}}.folder(t)
}

func after(t *testing.T) string {
	return recorded{id: "after", modes: []string{"iptables"}, change: upgraded, cluster: func(c *evidence.Cluster) {
		c.Kubernetes, c.Kernel = "v1.37.0", "6.18.0"
	}}.folder(t)
}

func TestComparisons(t *testing.T) {
	a, b := open(t, before(t)), open(t, after(t))
	for _, row := range []struct {
		name  string
		c     compare.Comparison
		worse bool
	}{
		{"upgrade", compared(t, a, b), true},
		{"back", compared(t, b, a), true},
		{"modes", compared(t, a, a, compare.Pair{A: "iptables", B: "nftables"}), false},
		{"itself", compared(t, a, a), false},
	} {
		t.Run(row.name, func(t *testing.T) {
			golden.File(t, "testdata/"+row.name+".md", write(t, reports.SheetMarkdown, row.c))
			golden.File(t, "testdata/"+row.name+".html", write(t, reports.SheetHTML, row.c))
			if row.c.Worse() != row.worse {
				t.Errorf("worse: %t", row.c.Worse())
			}
		})
	}
}

func TestARunHasNotChangedFromItself(t *testing.T) {
	for _, dir := range []string{before(t), after(t)} {
		c := compared(t, open(t, dir), open(t, dir))
		if changed(c) || c.Worse() || len(c.Missing)+len(c.Notes) > 0 {
			t.Errorf("%s", write(t, reports.SheetMarkdown, c))
		}
	}
}

// Whichever way two runs are compared, the same scenarios are named.
func TestBothWaysNameTheSameScenarios(t *testing.T) {
	a, b := open(t, before(t)), open(t, after(t))
	there, back := compared(t, a, b), compared(t, b, a)
	if diff := cmp.Diff(named(there), named(back)); diff != "" {
		t.Errorf("(-there +back):\n%s", diff)
	}
	if len(named(there)) < 4 {
		t.Errorf("it names but %q", named(there))
	}
}

// changed reports whether a comparison shows any change.
func changed(c compare.Comparison) bool {
	return len(c.Clusters)+len(c.Outcomes)+len(c.New)+len(c.Gone) > 0 || slices.ContainsFunc(c.Numbers, compare.Number.Moved)
}

func named(c compare.Comparison) []string {
	var names []string
	for _, list := range [][]compare.OutcomeChange{c.Outcomes, c.New, c.Gone} {
		for _, s := range list {
			names = append(names, s.Scenario)
		}
	}
	for _, n := range c.Numbers {
		if n.Moved() {
			names = append(names, n.Scenario+" "+n.Metric.Key())
		}
	}
	slices.Sort(names)
	return names
}

func TestWhatIsMissingIsSaid(t *testing.T) {
	lose := func(parts ...string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			if err := os.RemoveAll(filepath.Join(append([]string{dir}, parts...)...)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, row := range []struct {
		sentence string
		damage   func(t *testing.T, dir string)
		notes    []string // parts of the notes, in order
	}{
		{"all evidence is gone", lose("evidence"),
			[]string{"B: its evidence is gone, and it is taken from its report.json alone, by the rules of build v0.1.0."}},
		{"the evidence of a run without an end is gone, of which its report says nothing", func(t *testing.T, dir string) {
			path := filepath.Join(dir, reports.ReportFile)
			then, err := reports.Read(dir)
			then.Run.Ended = time.Time{}
			if err = errors.Join(err, os.RemoveAll(filepath.Join(dir, "evidence"))); err != nil {
				t.Fatal(err)
			}
			writeJSON(t, path, then)
		}, []string{"B: its evidence is gone", "B: it broke: the run was cut off, or has not ended."}},
		{"no report was ever written", lose("report.json"), nil},
		{"a scenario's evidence is gone", lose("evidence", "iptables", "recorded", "drained"),
			[]string{"B: the evidence of recorded/drained in iptables is gone, and it is taken from report.json."}},
		{"a scenario cannot be read", lose("evidence", "iptables", "recorded", "drained", "run.json"),
			[]string{"B: the evidence of recorded/drained in iptables cannot be read any more, and it is taken from report.json: the recording cannot be read: "}},
		{"a stream is gone", lose("evidence", "iptables", "recorded", "drained", "hits.parquet"),
			[]string{"B: the evidence of recorded/drained in iptables cannot be read any more, and it is taken from report.json: the recording cannot be trusted: hits.parquet"}},
		{"the run was cut off", func(t *testing.T, dir string) {
			writeJSON(t, filepath.Join(dir, "evidence", evidence.SessionFile), evidence.Session{Schema: 1, ID: "before", Version: "v0.1.0"})
		}, []string{"B: it broke: the run was cut off, or has not ended."}},
		{"the run broke", func(t *testing.T, dir string) {
			writeJSON(t, filepath.Join(dir, "evidence", evidence.SessionFile),
				evidence.Session{Schema: 1, ID: "before", Version: "v0.2.0", Broken: []string{"no cluster"}})
		}, []string{"B: it broke: no cluster.", "B: it broke: the run was cut off",
			"They were recorded by 2 builds of Rollcall, v0.1.0 and v0.2.0"}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			run := recorded{id: "before", modes: []string{"iptables"}}
			whole, damaged := run.folder(t), run.folder(t)
			row.damage(t, damaged)
			c := compared(t, open(t, whole), open(t, damaged))
			if changed(c) {
				t.Errorf("it changed:\n%s", write(t, reports.SheetMarkdown, c))
			}
			said := append(c.Missing, c.Notes...)
			if len(said) != len(row.notes) {
				t.Errorf("it says %q, want %q", said, row.notes)
			}
			for i := range min(len(said), len(row.notes)) {
				if !strings.Contains(said[i], row.notes[i]) {
					t.Errorf("it says %q, want %q", said[i], row.notes[i])
				}
			}
		})
	}
}

func TestOnlyRunsAreOpened(t *testing.T) {
	newer := func(file, with string) string {
		dir := t.TempDir()
		path := filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(with), 0o644); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	for _, row := range []struct{ sentence, dir, want string }{
		{"a folder of something else", t.TempDir(), "not a run folder"},
		{"no folder", filepath.Join(t.TempDir(), "none"), "not a run folder"},
		{"evidence of the future", newer("evidence/session.json", `{"schema":99}`), "schema 99, this build reads up to"},
		{"a report of the future", newer("report.json", `{"apiVersion":"rollcall/v9","kind":"ConformanceReport","run":{}}`),
			"use a newer Rollcall"},
		{"half a report", newer("report.json", `{"apiVersion":"rollcall/v1al`), "judge the run again: rollcall report "},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			_, err := compare.Open(row.dir)
			if err == nil || !strings.Contains(err.Error(), row.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v, want %q", err, row.want)
			}
		})
	}
}

func TestWhatCannotBeCompared(t *testing.T) {
	iptables := open(t, recorded{id: "a", modes: []string{"iptables"}}.folder(t))
	nftables := open(t, recorded{id: "b", modes: []string{"nftables"}}.folder(t))
	for _, row := range []struct {
		sentence string
		a, b     compare.Side
		pairs    []compare.Pair
		want     string
	}{
		{"no mode in common", iptables, nftables, nil, "to compare two modes: --modes=iptables:nftables"},
		{"a mode that neither has", iptables, nftables, []compare.Pair{{A: "ipvs", B: "ipvs"}},
			"--modes=ipvs:ipvs: A has iptables and B has nftables: name one of each"},
		{"a run without scenarios", compare.Side{}, compare.Side{}, nil, "have no scenario and mode in common"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			_, err := compare.Compare(compare.Runs{row.a}, compare.Runs{row.b}, compare.Scope{Pairs: row.pairs})
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("error %v, want %q", err, row.want)
			}
		})
	}
	for _, pair := range []string{"", ":", "iptables:", ":nftables", "a:b:c"} {
		if p, err := compare.ParsePairs([]string{pair}); err == nil {
			t.Errorf("%q is %v", pair, p)
		}
	}
	if p, err := compare.ParsePairs([]string{"ipvs"}); err != nil || !slices.Equal(p, []compare.Pair{{A: "ipvs", B: "ipvs"}}) {
		t.Errorf("%v: %v", p, err)
	}
}

// With more lanes more requests fail, which is not worse.
func TestCountsOfAnotherLoadAreNotCompared(t *testing.T) {
	side := open(t, recorded{id: "a", modes: []string{"iptables"}}.folder(t))
	more := side
	more.Report.Scenarios = slices.Clone(side.Report.Scenarios)
	for i := range more.Report.Scenarios {
		s := &more.Report.Scenarios[i]
		s.Lanes = slices.Clone(s.Lanes)
		for j := range s.Lanes {
			s.Lanes[j].RequestedRate, s.Lanes[j].Failures = 10000, map[evidence.Fault]int{evidence.Refused: 5000}
		}
	}
	c := compared(t, side, more)
	if changed(c) || len(c.Notes) != len(side.Report.Scenarios)-1 { // one was inconclusive
		t.Errorf("%s", write(t, reports.SheetMarkdown, c))
	}
	if !strings.Contains(c.Notes[0], "had different loads") {
		t.Errorf("notes %q", c.Notes)
	}
}

// Times are compared, and counts of scenarios whose load was the same.
func TestRunsOfDifferentRates(t *testing.T) {
	a := open(t, recorded{id: "a", modes: []string{"iptables"}}.folder(t))
	a.Report.Run.Rate = 100
	b := a
	b.Report.Run.ID, b.Report.Run.Rate = "b", 25
	b.Report.Scenarios = slices.Clone(a.Report.Scenarios)
	for i := range b.Report.Scenarios {
		s := &b.Report.Scenarios[i]
		s.Lanes = slices.Clone(s.Lanes)
		for j := range s.Lanes {
			s.Lanes[j].RequestedRate /= 4
		}
	}
	c := compared(t, a, b)
	const want = "They sent at most 100 requests per second and lane and at most 25 requests per second and lane: how many failed"
	if changed(c) || len(c.Notes) != 1 || !strings.HasPrefix(c.Notes[0], want) {
		t.Errorf("%s", write(t, reports.SheetMarkdown, c))
	}
}

// What the other profile was never meant to run is neither gone nor new.
func TestRunsOfDifferentProfiles(t *testing.T) {
	all := open(t, recorded{id: "all", modes: []string{"iptables"}}.folder(t))
	of := func(profile string, leaves int) compare.Side {
		s := all
		s.Report.Run.Profile, s.Report.Scenarios = profile, all.Report.Scenarios[leaves:]
		return s
	}
	own := func(s compare.Side) compare.Side {
		s.Report.Scenarios = append(slices.Clone(s.Report.Scenarios), model.Scenario{ID: "shop", Suite: "own", Mode: "iptables"})
		return s
	}
	for _, row := range []struct {
		sentence  string
		a, b      compare.Side
		gone, new int
		note      string // empty: none
	}{
		{"none of both, as of long ago, and one scenario went", of("", 0), of("", 1), 1, 0, ""},
		{"a run of long ago ran all, as full does", of("", 0), of("full", 1), 1, 0, ""},
		{"the same, and one scenario came", of("core", 1), of("core", 0), 0, 1, ""},
		{"a smaller one leaves two out", of("core", 0), of("smoke", 2), 0, 0,
			"A ran profile core and B profile smoke: what one side alone has is not compared: 2 scenarios of A, 0 of B. --profile=full runs all in both."},
		{"a larger one has two more", of("core", 2), of("", 0), 0, 0,
			"A ran profile core and B profile full: what one side alone has is not compared: 0 scenarios of A, 2 of B. --profile=full runs all in both."},
		{"each has one alone", of("full", 1), own(of("core", 2)), 0, 0,
			"A ran profile full and B profile core: what one side alone has is not compared: 1 scenario of A, 1 of B. --profile=full runs all in both."},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			c := compared(t, row.a, row.b)
			if len(c.Gone) != row.gone || len(c.New) != row.new {
				t.Errorf("%d went and %d are new, want %d and %d", len(c.Gone), len(c.New), row.gone, row.new)
			}
			if got := strings.Join(c.Notes, " "); got != row.note {
				t.Errorf("it says %q, want %q", got, row.note)
			}
		})
	}
}

// A history counts as further runs of the baseline: without it, one run of a side shows nothing about a number that a run has once.
func TestAHistoryIsFurtherRunsOfTheBaseline(t *testing.T) {
	side := func(id string, gap float64) compare.Side {
		r := model.Report{Run: model.Run{ID: id}, Clusters: []evidence.Cluster{{Mode: "iptables", Kubernetes: "v1.36.3"}}}
		for i := range 4 {
			r.Scenarios = append(r.Scenarios, model.Scenario{ID: string(rune('a' + i)), Suite: "s", Mode: "iptables", Outcome: verdict.Pass,
				Numbers: model.Numbers{StatusGap: new(gap + float64(10*i))}})
		}
		return compare.Side{Report: r}
	}
	var history compare.History
	for n := range 20 {
		history.Lines = append(history.Lines, compare.LinesOf(side("past", 5000+float64(n)).Report)...)
	}
	was, is := compare.Runs{side("a", 5000)}, compare.Runs{side("b", 9000)}
	for _, row := range []struct {
		sentence string
		history  compare.History
		want     compare.Effect
	}{
		{"four scenarios of one run alone are worse by chance in one of 16", compare.History{}, compare.CannotTell},
		{"of 22 runs the last is the worst in each of them", history, compare.Worse},
	} {
		c, err := compare.Compare(was, is, compare.Scope{History: row.history})
		if err != nil {
			t.Fatal(err)
		}
		if n := c.Numbers[0]; n.Scenario != "" || n.Metric.Key() != "status_gap_ms" || n.Effect != row.want {
			t.Errorf("%s: %s: %s", row.sentence, n.Effect, n)
		}
	}
}

// Several runs of a side are compared as one side.
func TestSeveralRunsOfASide(t *testing.T) {
	run := func(id string, outcome verdict.Outcome, outage float64) compare.Side {
		return compare.Side{Report: model.Report{Run: model.Run{ID: id}, Scenarios: []model.Scenario{{ID: "a", Suite: "s", Mode: "iptables",
			Outcome: outcome, Headline: "in " + id, Lanes: []model.Lane{{RequestedRate: 100, LongestOutage: outage}}}}}}
	}
	var was, is compare.Runs
	for i := range 8 {
		was = append(was, run(fmt.Sprint("was-", i), verdict.Pass, 100+float64(i)))
		is = append(is, run(fmt.Sprint("is-", i), verdict.Pass, 2100+float64(i)))
	}
	is[3] = run("is-3", verdict.Fail, 2103)
	c, err := compare.Compare(was, is, compare.Scope{})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Outcomes) != 1 || *c.Outcomes[0].B != verdict.Fail || c.Outcomes[0].BecauseB != "in is-3" {
		t.Errorf("a side that fails once fails: %+v", c.Outcomes)
	}
	i := slices.IndexFunc(c.Numbers, func(n compare.Number) bool { return n.Metric.Key() == "longest_outage_ms" })
	if n := c.Numbers[i]; n.Effect != compare.Worse || n.NA != 8 || n.NB != 8 {
		t.Errorf("%s: %s", n.Effect, n)
	}
	if one, err := compare.Compare(was[:1], is[:1], compare.Scope{}); err != nil || one.Worse() {
		t.Errorf("one run of each side shows it, %v: %v", one.Numbers, err)
	}
}

// Two scenarios of one recording count once, whichever of them it was recorded for.
func TestASharedRecordingCountsOnce(t *testing.T) {
	run := func(id, owner, other string) compare.Side {
		numbers := model.Numbers{MaxPods: new(5)}
		return compare.Side{Report: model.Report{Run: model.Run{ID: id}, Scenarios: []model.Scenario{
			{ID: owner, Suite: "s", Mode: "iptables", Outcome: verdict.Pass, Numbers: numbers},
			{ID: other, Suite: "s", Mode: "iptables", Outcome: verdict.Pass, Numbers: numbers, RecordedFor: "s/" + owner},
		}}}
	}
	c := compared(t, run("a", "x", "y"), run("b", "y", "x"))
	if len(c.Numbers) != 1 || c.Numbers[0].NA != 1 || c.Compared != 2 {
		t.Errorf("%d scenarios: %v", c.Compared, c.Numbers)
	}
}

// A line of a number fits a terminal.
func TestLinesOfNumbersFit(t *testing.T) {
	a, b := open(t, before(t)), open(t, after(t))
	lines := 0
	for line := range strings.Lines(string(write(t, reports.SheetMarkdown, compared(t, a, b)))) {
		if columns := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|") - 1; columns != 9 { // rows of numbers have 9
			continue
		}
		lines++
		if len([]rune(line)) > 120 {
			t.Errorf("%d columns: %s", len([]rune(line)), line)
		}
	}
	if lines == 0 {
		t.Error("0 lines of numbers were written")
	}
}
