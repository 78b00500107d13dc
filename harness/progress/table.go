package progress

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// A Table draws a status on a terminal: what ended scrolls by above it, what is under way stays in its place.
type Table struct {
	out    io.Writer
	colour bool
	width  func() int // columns of the terminal; what is longer is cut off

	drawn int // lines of the place
	told  int // scenarios that ended
}

// NewTable draws on a terminal, with colours beside the words if they are wanted.
func NewTable(out io.Writer, colour bool, width func() int) *Table {
	return &Table{out: out, colour: colour, width: width}
}

// drawEvery paces the table; a person reads no faster.
const drawEvery = 500 * time.Millisecond

// Follow draws the status file of a run folder until ctx ends, and then takes what is under way off the terminal.
func (t *Table) Follow(ctx context.Context, file string) error {
	for {
		s, err := Read(file)
		s.age(time.Now()) // the file is as old as the last change
		if err == nil {
			err = t.Draw(s)
		}
		if err != nil {
			return err
		}
		select {
		case <-time.After(drawEvery):
		case <-ctx.Done():
			s, err := Read(file)
			if err != nil {
				return err
			}
			s.Running, s.Doing = nil, ""
			return t.Draw(s)
		}
	}
}

// Read reads a status file.
func Read(file string) (Status, error) {
	var s Status
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil {
		return s, fmt.Errorf("progress: read %s: %w", file, err)
	}
	return s, nil
}

// Skip takes what has ended so far as told.
func (t *Table) Skip(s Status) { t.told = len(s.Ended) }

// Draw draws the status in the place of the one drawn before.
func (t *Table) Draw(s Status) error {
	var text strings.Builder
	if t.drawn > 0 {
		fmt.Fprintf(&text, "\x1b[%dA\x1b[J", t.drawn)
	}
	for ended := s.Ended[min(t.told, len(s.Ended)):]; len(ended) > 0; {
		n := alike(ended)
		t.end(&text, ended[0], n)
		ended = ended[n:]
	}
	t.told, t.drawn = len(s.Ended), 0
	width := t.width()
	for _, line := range s.lines() {
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

// lines are what stays in its place: nothing when nothing is under way.
func (s *Status) lines() []string {
	if len(s.Running) == 0 && s.Doing == "" {
		return nil
	}
	counts := map[string]int{}
	for _, e := range s.Ended {
		counts[e.Outcome]++
	}
	head := fmt.Sprintf("%s  %d passed, %d failed, %d inconclusive, %d skipped",
		s.Updated.Sub(s.Began).Round(time.Second), counts["pass"], counts["fail"], counts["inconclusive"], counts["skipped"])
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

// colours stand beside the words, and never in their place.
var colours = map[string]string{"pass": "32", "fail": "31", "inconclusive": "33", "skipped": "36"}

// alike is how many of the first that ended were skipped in one mode for one reason; at least one.
func alike(ended []Ended) int {
	n := 1
	for n < len(ended) && ended[n].Outcome == "skipped" && ended[0].Outcome == "skipped" && ended[n].Mode == ended[0].Mode && ended[n].Because == ended[0].Because {
		n++
	}
	return n
}

// end writes what became of a scenario, or of n alike, and why, unless it passed.
func (t *Table) end(text *strings.Builder, e Ended, n int) {
	outcome := fmt.Sprintf("%-12s", e.Outcome)
	if code := colours[e.Outcome]; t.colour && code != "" {
		outcome = "\x1b[" + code + "m" + outcome + "\x1b[0m"
	}
	if n > 1 {
		fmt.Fprintf(text, "%s %s %d scenarios\n", outcome, e.Mode, n)
	} else {
		fmt.Fprintf(text, "%s %s %s/%s %.0fs\n", outcome, e.Mode, e.Suite, e.Scenario, e.Seconds)
	}
	if e.Outcome != "pass" {
		fmt.Fprintf(text, "    %s\n", visible(e.Because))
	}
}

// visible drops what a terminal might obey.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, text)
}
