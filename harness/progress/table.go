package progress

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// A Table draws a status on a terminal: lines about scenarios that ended scroll by, and below them those under way are redrawn in place.
type Table struct {
	out    io.Writer
	colour bool
	width  func() int // columns of the terminal; longer lines are cut

	drawn int // lines to redraw
	teller
}

// NewTable returns a Table that draws on a terminal. colour adds colours to the words.
func NewTable(out io.Writer, colour bool, width func() int) *Table {
	return &Table{out: out, colour: colour, width: width}
}

// Draw draws the status over the one before.
func (t *Table) Draw(s Status) error {
	var text strings.Builder
	if t.drawn > 0 {
		fmt.Fprintf(&text, "\x1b[%dA\x1b[J", t.drawn)
	}
	t.news(s, func(e Ended, alike int) { t.end(&text, e, alike) })
	t.drawn = 0
	width := t.width()
	for _, line := range s.Lines() {
		if runes := []rune(line); len(runes) >= width && width > 1 {
			line = string(runes[:width-2]) + "…"
		}
		fmt.Fprintln(&text, line)
		t.drawn++
	}
	if _, err := io.WriteString(t.out, text.String()); err != nil {
		return fmt.Errorf("progress: draw: %w", err)
	}
	return nil
}

// Lines returns the lines about what is under way; none if nothing is.
func (s *Status) Lines() []string {
	if len(s.Running) == 0 && s.Doing == "" {
		return nil
	}
	head := fmt.Sprintf("%s  %s", s.Updated.Sub(s.Began).Round(time.Second), s.Counts())
	if s.Left != nil {
		head += "; " + left(*s.Left)
	}
	lines := []string{"", head}
	if s.Doing != "" {
		lines = append(lines, "  "+s.Doing)
	}
	for _, r := range s.Running {
		lines = append(lines, "  "+r.Line())
	}
	return lines
}

// Counts says how many scenarios had each outcome.
func (s *Status) Counts() string {
	counts := map[string]int{}
	for _, e := range s.Ended {
		counts[e.Outcome]++
	}
	return fmt.Sprintf("%d passed, %d failed, %d inconclusive, %d skipped", counts["pass"], counts["fail"], counts["inconclusive"],
		counts["skipped"])
}

// colours returns the ANSI colour of each outcome, which never replaces the word.
func colours() map[string]string {
	return map[string]string{"pass": "32", "fail": "31", "inconclusive": "33", "skipped": "36"}
}

// end writes the outcome of a scenario, or of n alike, and the reason, unless it passed.
func (t *Table) end(text *strings.Builder, e Ended, n int) {
	outcome := fmt.Sprintf("%-12s", e.Outcome)
	if code := colours()[e.Outcome]; t.colour && code != "" {
		outcome = "\x1b[" + code + "m" + outcome + "\x1b[0m"
	}
	if n > 1 {
		fmt.Fprintf(text, "%s %s %d scenarios\n", outcome, e.Mode, n)
	} else {
		fmt.Fprintf(text, "%s %s %s/%s %.0fs\n", outcome, e.Mode, e.Suite, e.Scenario, e.Seconds)
	}
	if e.Outcome != "pass" {
		fmt.Fprintf(text, "    %s\n", e.Brief())
	}
}
