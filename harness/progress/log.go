package progress

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"example.com/rollcall/harness/verdict/phrase"
)

// A Log is a screen for output that is no terminal, such as the log of a CI job: one line for each scenario that passed, and
// below the line of any other the facts about it.
type Log struct {
	out io.Writer
	teller
}

// NewLog returns a Log that prints to out.
func NewLog(out io.Writer) *Log { return &Log{out: out} }

// Draw prints the scenarios that have ended since the status before.
func (l *Log) Draw(s Status) error {
	var text strings.Builder
	l.news(s, func(e Ended, alike int) {
		for _, line := range e.log(alike) {
			fmt.Fprintln(&text, line)
		}
	})
	if _, err := io.WriteString(l.out, text.String()); err != nil {
		return fmt.Errorf("progress: print: %w", err)
	}
	return nil
}

// logWidth is the width of a log, in characters.
const logWidth = 120

// log returns the lines about a scenario, or about n alike.
func (e Ended) log(n int) []string {
	outcome := strings.ToUpper(e.Outcome)
	if e.Outcome == "skipped" {
		outcome = "SKIP" // as go test has it
	}
	line := fmt.Sprintf("%s %.1fs %s/%s (%s):", outcome, e.Seconds, e.Suite, e.Scenario, e.Mode)
	if n > 1 {
		line = fmt.Sprintf("%s %d scenarios (%s):", outcome, n, e.Mode)
	}
	headline := e.Brief()
	room := logWidth - utf8.RuneCountInString(line+" ")
	if e.Outcome == "pass" {
		what, follows, two := strings.Cut(headline, "; ")
		if two && utf8.RuneCountInString(headline) > room {
			return []string{line + " " + phrase.Cut(what, room), "    " + phrase.Cut(follows, logWidth-4)}
		}
		return []string{line + " " + phrase.Cut(headline, room)}
	}
	lines := []string{line}
	details := e.Facts
	if utf8.RuneCountInString(headline) <= room {
		lines[0] += " " + headline
	} else {
		details = append([]string{headline}, details...)
	}
	for _, detail := range details {
		for i, part := range phrase.Wrap(phrase.Printable(detail), logWidth-6) {
			indent := "    "
			if i > 0 {
				indent += "  "
			}
			lines = append(lines, indent+part)
		}
	}
	return lines
}
