package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sync/errgroup"
	"golang.org/x/term"

	"rollcall/harness/progress"
)

// logFile has every line of a run whose terminal shows a table instead.
const logFile = "log.txt"

// watched does the work of a run, whose lines go to standard output; or, on a terminal, into the run folder's log, while a
// table of what is under way is drawn. The error is about what is shown.
func (r *run) watched(ctx context.Context, work func(lines io.Writer)) error {
	beside, stop := context.WithCancel(context.WithoutCancel(ctx))
	var watching errgroup.Group
	watching.Go(func() error { return r.board.Collect(beside) })
	lines := io.Writer(os.Stdout)
	var log *os.File
	if interactive() {
		var err error
		if log, err = os.OpenFile(filepath.Join(r.runner.Out, logFile), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644); err != nil {
			stop()
			return errors.Join(err, watching.Wait())
		}
		lines = log
		table := progress.NewTable(os.Stdout, os.Getenv("NO_COLOR") == "", columns)
		watching.Go(func() error { return table.Follow(beside, filepath.Join(r.runner.Out, progress.File)) })
	}
	work(lines)
	stop()
	if unwritten := watching.Wait(); unwritten != nil {
		fmt.Fprintln(os.Stderr, unwritten) // the run is none the worse for it
	}
	if log == nil {
		return nil
	}
	return log.Close()
}

// columns is the width of the terminal.
func columns() int {
	width, _, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil {
		return 80
	}
	return width
}

// interactive reports whether a person looks at a terminal that can be drawn on.
func interactive() bool {
	return term.IsTerminal(int(os.Stdout.Fd())) && os.Getenv("CI") == "" && os.Getenv("TERM") != "dumb"
}

// doing puts each line written to it on the board, as what goes on while no scenario is under way.
type doing struct{ board *progress.Board }

// Write takes whole lines, as who reports progress writes them.
func (d *doing) Write(text []byte) (int, error) {
	for line := range strings.Lines(string(text)) {
		d.board.Do(strings.TrimSpace(line))
	}
	return len(text), nil
}
