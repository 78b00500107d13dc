package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/term"

	"rollcall/harness"
	"rollcall/harness/progress"
	"rollcall/reports"
)

// logFile has every line of a run whose terminal shows a table instead.
const logFile = "log.txt"

// watched runs a suite, whose lines go to standard output; or, on a terminal, into the run folder's log, while a
// table of what is under way is drawn.
func (c *conformance) watched(ctx context.Context, suite func(lines io.Writer) error) error {
	if !interactive() {
		return suite(os.Stdout)
	}
	log, err := os.OpenFile(filepath.Join(c.rig.Out, logFile), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	file := filepath.Join(c.rig.Out, progress.File)
	table := progress.NewTable(os.Stdout, os.Getenv("NO_COLOR") == "", func() int {
		width, _, err := term.GetSize(int(os.Stdout.Fd()))
		if err != nil {
			return 80
		}
		return width
	})
	if s, err := progress.Read(file); err == nil {
		table.Skip(s)
	}
	drawing, stop := context.WithCancel(context.WithoutCancel(ctx))
	drawn := make(chan error, 1)
	go func() { drawn <- table.Follow(drawing, file) }()
	err = suite(log)
	stop()
	if undrawn := <-drawn; undrawn != nil {
		fmt.Fprintf(os.Stderr, "%v; the lines are in %s\n", undrawn, log.Name()) // the run is none the worse for it
	}
	return errors.Join(err, log.Close())
}

// interactive reports whether a person looks at a terminal that can be drawn on.
func interactive() bool {
	return term.IsTerminal(int(os.Stdout.Fd())) && os.Getenv("CI") == "" && os.Getenv("TERM") != "dumb"
}

// do says on the board what goes on between suites. That it cannot be written is told at the end, by the suites.
func (c *conformance) do(format string, args ...any) {
	board, err := progress.Open(c.rig.Out, c.session.ID, c.session.Began)
	if err == nil {
		board.Do(fmt.Sprintf(format, args...))
	}
}

// expect puts on the board how long the last run took for each scenario of these suites and modes. It is no matter
// if there was none.
func (c *conformance) expect(root string, suites []string) {
	last, err := reports.Read(filepath.Join(root, "latest"))
	if err != nil || c.pattern != "" {
		return
	}
	var expected []progress.Expected
	for _, s := range last.Scenarios {
		if s.Seconds == 0 || !slices.Contains(suites, s.Suite) || !slices.Contains(c.rig.ModeList(), s.Mode) {
			continue
		}
		beside := harness.WalksAtOnce(c.session.Pace)
		if len(s.Lanes) > 0 {
			beside = 1
		}
		expected = append(expected, progress.Expected{Name: progress.Name{Mode: s.Mode, Suite: s.Suite, Scenario: s.ID}, Seconds: s.Seconds, Beside: beside})
	}
	board, err := progress.Open(c.rig.Out, c.session.ID, c.session.Began)
	if err == nil {
		board.Expect(expected)
	}
}
