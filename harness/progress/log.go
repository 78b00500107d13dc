package progress

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"rollcall/harness/verdict/phrase"
)

// A Log is a screen that is no terminal, such as the log of a CI job: a line for each scenario when it has ended, and below it
// what is known of one that did not pass.
type Log struct {
	out   io.Writer
	shown int // scenarios that ended
}

// NewLog prints to out.
func NewLog(out io.Writer) *Log { return &Log{out: out} }

// Draw prints what has ended since the status before.
func (l *Log) Draw(s Status) error {
	var text strings.Builder
	for ended := s.Ended[min(l.shown, len(s.Ended)):]; len(ended) > 0; {
		n := alike(ended)
		for _, line := range ended[0].log(n) {
			fmt.Fprintln(&text, line)
		}
		ended = ended[n:]
	}
	l.shown = len(s.Ended)
	if _, err := io.WriteString(l.out, text.String()); err != nil {
		return fmt.Errorf("progress: print: %w", err)
	}
	return nil
}

// logWidth is of the lines of a log, in characters.
const logWidth = 120

// log is what is printed about a scenario, or about n alike.
func (e Ended) log(n int) []string {
	outcome := strings.ToUpper(e.Outcome)
	if e.Outcome == "skipped" {
		outcome = "SKIP" // as go test has it
	}
	line := fmt.Sprintf("%s %.1fs %s/%s (%s):", outcome, e.Seconds, e.Suite, e.Scenario, e.Mode)
	if n > 1 {
		line = fmt.Sprintf("%s %d scenarios (%s):", outcome, n, e.Mode)
	}
	lines := []string{line}
	details := e.Facts
	if headline := e.headline(); utf8.RuneCountInString(line+" "+headline) <= logWidth {
		lines[0] += " " + headline
	} else {
		details = append([]string{headline}, details...)
	}
	for _, detail := range details {
		for i, part := range phrase.Wrap(visible(detail), logWidth-6) {
			indent := "    "
			if i > 0 {
				indent += "  "
			}
			lines = append(lines, indent+part)
		}
	}
	return lines
}
