package reports

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Limits of what is printed, in characters.
const (
	cellWidth = 60
	textWidth = 100
)

// Terminal writes the table a person reads when a run ends: plain text without colour, a line per
// scenario and under it the reason for its outcome.
func Terminal(w io.Writer, r Report) error {
	rows := []row{columns()}
	for _, s := range r.Scenarios {
		rows = append(rows, newRow(s))
	}
	var widths [len(row{})]int
	for _, cells := range rows {
		for column, cell := range cells {
			widths[column] = max(widths[column], utf8.RuneCountInString(clip(cell)))
		}
	}
	var b bytes.Buffer
	for i, cells := range rows {
		line := ""
		for column, cell := range cells {
			line += fmt.Sprintf("%-*s  ", widths[column], clip(cell))
		}
		fmt.Fprintln(&b, strings.TrimRight(line, " "))
		if i > 0 {
			for _, said := range []string{r.Scenarios[i-1].Because, account(r.Scenarios[i-1])} {
				for _, text := range wrap(oneLine(said), textWidth) {
					fmt.Fprintln(&b, "    "+text)
				}
			}
		}
	}
	fmt.Fprintf(&b, "\n%s\n", totals(r))
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("reports: write table: %w", err)
	}
	return nil
}

// clip makes a cell one line of at most cellWidth characters.
func clip(cell string) string { return clipped(oneLine(cell), cellWidth) }

// clipped is at most limit characters of a text, the last of which says if there was more.
func clipped(text string, limit int) string {
	runes := []rune(text)
	if len(runes) <= limit {
		return text
	}
	return string(runes[:limit-1]) + "…"
}

// wrap breaks text between words into lines of at most width characters; a longer word keeps a
// line of its own.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
