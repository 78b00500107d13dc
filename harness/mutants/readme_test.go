package mutants

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/rollcall/harness/dataplane"
	"example.com/rollcall/harness/golden"
	"example.com/rollcall/suites/regressions"
)

//go:generate go test . -update

const guide = "README.md"

// The tables of the guide have the mutants of the catalogue, and the last results of `make mutants`.
func TestTablesInTheGuide(t *testing.T) {
	found := cells(golden.SectionOf(t, guide, "mutants"))
	if golden.Updating() {
		read(t, found)
	}
	golden.Section(t, guide, "mutants", mutantTable(found))
	golden.Section(t, guide, "recorded", recordedTable())
}

// A mutant that was never killed shows nothing, which nobody would notice without this test.
func TestEveryMutantWasKilled(t *testing.T) {
	found := cells(golden.SectionOf(t, guide, "mutants"))
	for _, m := range All() {
		for _, mode := range tabled() {
			if became := found[cell{m.ID, mode}]; m.In(mode) && !strings.HasPrefix(became, wasKilled) {
				t.Errorf("%s was not killed in %s mode (%s): MODES=%s make mutants RUN='^%s$', then make mutants-table", m.ID, mode, became, mode, m.ID)
			}
		}
	}
}

// tabled has the modes of the table, which every kernel supports. With IP_VS, out/mutants.json has ipvs mode too.
func tabled() []string {
	return slices.DeleteFunc(dataplane.Names(), func(mode string) bool {
		supported, _ := dataplane.Of(mode).Supported(dataplane.Kernel{NFTables: true})
		return !supported
	})
}

// A cell has the result of a mutant in a mode.
type cell struct{ mutant, mode string }

const (
	notDone   = "–"
	wasKilled = "killed"
)

// cells returns the cells of the table of mutants.
func cells(table string) map[cell]string {
	found := map[cell]string{}
	for line := range strings.Lines(table) {
		columns := strings.Split(line, " | ")
		id := strings.TrimPrefix(columns[0], "| ")
		for i, mode := range tabled() {
			if len(columns) == 5+len(tabled()) {
				found[cell{id, mode}] = strings.TrimSuffix(columns[5+i], " |\n")
			}
		}
	}
	return found
}

// read replaces cells by the results of the last `make mutants`, if there was one.
func read(t *testing.T, found map[cell]string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "out", "mutants.json"))
	if os.IsNotExist(err) {
		return
	}
	var results []Result
	if err == nil {
		err = json.Unmarshal(data, &results)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		became, on := "**survived**: "+r.Got, r.Commit+", "+r.Kubernetes
		switch {
		case r.Killed && r.Commit != "":
			became = wasKilled + " on " + on
		case r.Killed:
			became = wasKilled
		case r.Commit != "":
			became += "; last killed on " + on
		}
		found[cell{r.Mutant, r.Mode}] = strings.ReplaceAll(became, "|", "/")
	}
}

func mutantTable(found map[cell]string) string {
	var b strings.Builder
	modes := tabled()
	fmt.Fprintf(&b, "| Mutant | What is damaged | Of | When | Must be | %s |\n|---|---|---|---|---|%s\n", strings.Join(modes, " | "),
		strings.Repeat("---|", len(modes)))
	for _, m := range All() {
		of := m.Of
		if m.Change != nil {
			of += " +"
		}
		when := m.When.String()
		if m.Do == nil {
			when = notDone
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s by %s", m.ID, m.Damages, of, when, m.Want, m.Cause)
		for _, mode := range modes {
			became := found[cell{m.ID, mode}]
			if became == "" || !m.In(mode) {
				became = notDone
			}
			fmt.Fprintf(&b, " | %s", became)
		}
		fmt.Fprintln(&b, " |")
	}
	return b.String()
}

func recordedTable() string {
	var b strings.Builder
	b.WriteString("| What is changed | Recording | Must be |\n|---|---|---|\n")
	for _, m := range recordedMutants() {
		fmt.Fprintf(&b, "| %s | %s | %s by %s |\n", m.sentence, strings.TrimPrefix(filepath.Base(m.folder), "%s-"), m.want, m.cause)
	}
	return b.String()
}

// With -update the guide gets the rows of the last `make track-record`, of those that have both sides. The table has every scenario in both
// modes, and all are right.
func TestTrackRecordGuide(t *testing.T) {
	const guide = "../../suites/regressions/README.md"
	if golden.Updating() {
		record, err := ReadTrackRecord(filepath.Join("..", "..", "out", "track-record.json"))
		if err != nil {
			t.Fatal(err)
		}
		golden.Section(t, guide, "track record", updated(golden.SectionOf(t, guide, "track record"), record.Table()))
	}
	table := golden.SectionOf(t, guide, "track record")
	if strings.Contains(table, "**") || strings.Contains(table, "–") {
		t.Errorf("the table has what is not right, or was not run:\n%s", table)
	}
	if missing := missing(table); len(missing) > 0 {
		t.Errorf("the table has no %s", strings.Join(missing, ", nor "))
	}
	golden.Section(t, "../../README.md", "track record", triesTable(t, table))
}

// updated returns a table with the rows of a newer one in the place of those of the same scenario and mode. Rows that lack a side stay out.
func updated(table, newer string) string {
	of := func(line string) string {
		columns := strings.SplitN(line, " | ", 4)
		return strings.Join(slices.Delete(columns, len(columns)-1, len(columns)), " | ") // bug, component and mode
	}
	rows := map[string]string{}
	for line := range strings.Lines(newer) {
		if !strings.Contains(line, "| – |") {
			rows[of(line)] = line
		}
	}
	var b strings.Builder
	for line := range strings.Lines(table) {
		if row, has := rows[of(line)]; has && strings.HasPrefix(line, "| [") {
			line = row
		}
		b.WriteString(line)
	}
	return b.String()
}

// triesTable returns, of a table of a track record, in how many tries each bug was seen, in both modes together.
func triesTable(t *testing.T, table string) string {
	t.Helper()
	type row struct{ tries, red int }
	rows, order := map[string]row{}, []string(nil)
	for line := range strings.Lines(table) {
		columns := strings.Split(strings.Trim(line, "| \n"), " | ")
		if !strings.HasPrefix(line, "| [") {
			continue
		}
		version, _, _ := strings.Cut(columns[3], ": ")
		name := fmt.Sprintf("%s | %s %s", columns[0], columns[1], version)
		var tries, red int
		if _, err := fmt.Sscan(columns[4]+" "+columns[5], &tries, &red); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if _, has := rows[name]; !has {
			order = append(order, name)
		}
		rows[name] = row{rows[name].tries + tries, rows[name].red + red}
	}
	var b strings.Builder
	b.WriteString("| bug | seen on | red |\n|---|---|---|\n")
	for _, name := range order {
		fmt.Fprintf(&b, "| %s | %d of %d |\n", name, rows[name].red, rows[name].tries)
	}
	return b.String()
}

// missing returns the scenarios that a table lacks, with their modes.
func missing(table string) (missing []string) {
	for _, s := range regressions.All() {
		for _, mode := range []string{"iptables", "nftables"} {
			shows := len(s.Bug.Modes) == 0 || slices.Contains(s.Bug.Modes, mode)
			if shows && !strings.Contains(table, fmt.Sprintf(") %s | %s | %s | ", s.ID, s.Bug.Component, mode)) {
				missing = append(missing, s.ID+" in mode "+mode)
			}
		}
	}
	return missing
}
