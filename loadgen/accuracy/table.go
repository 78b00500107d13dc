package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A table is a Markdown table whose columns are lanes and whose rows are kinds or lengths. A cell is the worst
// error of its samples in milliseconds and, unless all were found, how many were.
type table struct {
	title string
	row   func(s sample) string
	of    []sample
}

// write writes the table, rows in the order their samples come.
func (t table) write(b *strings.Builder) {
	byLane := slices.SortedStableFunc(slices.Values(t.of), func(x, y sample) int {
		return cmp.Or(cmp.Compare(x.trial.rate, y.trial.rate), cmp.Compare(x.trial.conn, y.trial.conn))
	})
	var rows, columns []string
	cells := make(map[[2]string][]sample)
	bars := make(map[string]time.Duration)
	for _, s := range t.of {
		if row := t.row(s); !slices.Contains(rows, row) {
			rows = append(rows, row)
		}
	}
	for _, s := range byLane {
		row, column := t.row(s), fmt.Sprintf("%d/s %s", s.trial.rate, s.trial.conn)
		if !slices.Contains(columns, column) {
			columns = append(columns, column)
		}
		cells[[2]string{row, column}] = append(cells[[2]string{row, column}], s)
		bars[column] = s.trial.bar()
	}
	fmt.Fprintf(b, "| %s | %s |\n|%s\n", t.title, strings.Join(columns, " | "), strings.Repeat("---|", len(columns)+1))
	for _, row := range rows {
		fmt.Fprintf(b, "| %s |", row)
		for _, column := range columns {
			fmt.Fprintf(b, " %s |", cell(cells[[2]string{row, column}]))
		}
		b.WriteByte('\n')
	}
	b.WriteString("| *bar* |")
	for _, column := range columns {
		fmt.Fprintf(b, " *%s* |", milliseconds(bars[column]))
	}
	b.WriteByte('\n')
}

func cell(of []sample) string {
	var worst time.Duration
	found := 0
	for _, s := range of {
		worst = max(worst, s.off())
		if s.found() {
			found++
		}
	}
	switch found {
	case 0:
		if len(of) == 0 {
			return "–"
		}
		return fmt.Sprintf("0 of %d", len(of))
	case len(of):
		return milliseconds(worst)
	default:
		return fmt.Sprintf("%s (%d of %d)", milliseconds(worst), found, len(of))
	}
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.1f", float64(d)/float64(time.Millisecond))
}
