package progress

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"example.com/rollcall/harness/verdict/phrase"
)

// A Screen shows a run to a person: lines for each scenario that ended and lines about what is under way. On a terminal those are below and
// redrawn in place; elsewhere they are printed once nothing has been for a minute.
type Screen struct {
	out    io.Writer
	width  func() int // columns of the terminal, to which lines about what is under way are cut; nil: out is not a terminal
	colour bool       // on a terminal, outcomes have colours too

	ended   int       // scenarios that are on the screen
	drawn   int       // lines to redraw
	printed time.Time // the last lines, where nothing is redrawn
}

// silent is how long nothing is printed in a log at most. Some CI systems end a job that has printed nothing for 10 minutes.
const silent = time.Minute

// NewScreen returns a screen on out. It draws on standard output alone, if that is a terminal.
func NewScreen(out io.Writer) *Screen {
	s := &Screen{out: out, colour: os.Getenv("NO_COLOR") == ""}
	if out == os.Stdout && term.IsTerminal(int(os.Stdout.Fd())) && os.Getenv("CI") == "" && os.Getenv("TERM") != "dumb" {
		s.width = columns
	}
	return s
}

// columns returns the width of the terminal.
func columns() int {
	width, _, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil || width <= 0 { // a terminal without a size has 0
		return 80
	}
	return width
}

// OnTerminal reports whether the screen redraws lines: what others print would be drawn over.
func (s *Screen) OnTerminal() bool { return s.width != nil }

// drawEvery is the interval between two draws; people read no faster.
const drawEvery = 500 * time.Millisecond

// Follow draws a status file until ctx ends, and then once more, with nothing under way.
func (s *Screen) Follow(ctx context.Context, file string) error {
	for {
		now, err := Current(file)
		if err == nil {
			err = s.Draw(now)
		}
		if err != nil {
			return err
		}
		select {
		case <-time.After(drawEvery):
		case <-ctx.Done():
			last, err := Read(file)
			if err != nil {
				return err
			}
			last.Running, last.Doing = nil, ""
			return s.Draw(last)
		}
	}
}

// Draw draws a status over the one before, with which its Ended begins.
func (s *Screen) Draw(now Status) error {
	var text strings.Builder
	if s.drawn > 0 {
		fmt.Fprintf(&text, "\x1b[%dA\x1b[J", s.drawn)
	}
	for _, alike := range Alike(now.Ended[min(s.ended, len(now.Ended)):]) {
		for i, line := range alike[0].lines(len(alike)) {
			if outcome, rest, _ := strings.Cut(line, " "); i == 0 && s.OnTerminal() && s.colour {
				line = colours[outcome] + outcome + "\x1b[0m " + rest
			}
			fmt.Fprintln(&text, line)
		}
	}
	s.ended, s.drawn = len(now.Ended), 0
	switch {
	case s.OnTerminal():
		for _, line := range now.Lines() {
			fmt.Fprintln(&text, phrase.Cut(line, max(1, s.width()-1)))
			s.drawn++
		}
	case text.Len() > 0 || s.printed.IsZero():
		s.printed = now.Updated
	case now.Updated.Sub(s.printed) >= silent:
		for _, line := range now.Lines() {
			fmt.Fprintln(&text, phrase.Cut(line, 120))
		}
		s.printed = now.Updated
	}
	if _, err := io.WriteString(s.out, text.String()); err != nil {
		return fmt.Errorf("progress: draw: %w", err)
	}
	return nil
}

// colours has the ANSI colour of each outcome, which never replaces the word.
var colours = map[string]string{"PASS": "\x1b[32m", "FAIL": "\x1b[31m", "INCONCLUSIVE": "\x1b[33m", "SKIP": "\x1b[36m"}
