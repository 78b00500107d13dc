package run

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sync/errgroup"
	"k8s.io/klog/v2"

	"example.com/rollcall/harness/progress"
)

// A screen is where a run prints.
type screen struct {
	run io.Writer                             // for lines about the run as a whole, such as the creation of a cluster
	of  func(mode, scenario string) io.Writer // for lines about a scenario
}

// watched runs work and shows its progress: what ended and, on a terminal, what is under way. All other lines go to the run folder's log;
// if it is verbose everything is printed instead. The error is about the display alone.
func (r *Run) watched(ctx context.Context, out io.Writer, verbose bool, work func(screen)) error {
	beside, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var watching errgroup.Group
	s, log := screen{out, func(string, string) io.Writer { return out }}, io.NopCloser(nil)
	if !verbose {
		file, err := os.OpenFile(filepath.Join(r.Folder, logFile), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		log = file
		lines := newLineLog(file)
		logClientGo(lines)
		defer klog.LogToStderr(true)
		shown := progress.NewScreen(out)
		s = screen{io.MultiWriter(out, lines), lines.of}
		if shown.OnTerminal() {
			s.run = lines
		}
		watching.Go(func() error { return shown.Follow(beside, filepath.Join(r.Folder, progress.File)) })
	}
	work(s)
	stop() // after the work, so that the last scenarios are shown
	if unwritten := watching.Wait(); unwritten != nil {
		fmt.Fprintln(os.Stderr, unwritten) // the run is complete without it
	}
	return log.Close()
}

// logClientGo sends the messages of client-go to a log: broken connections are not news, and would be printed over
// what is under way. Without -stderrthreshold, klog prints errors to stderr as well.
func logClientGo(log io.Writer) {
	flags := flag.NewFlagSet("klog", flag.PanicOnError)
	klog.InitFlags(flags)
	_ = flags.Parse([]string{"-logtostderr=false", "-stderrthreshold=FATAL"}) // panics on error
	klog.SetOutput(log)
}

// doing shows each line written to it on the board, which does so while no scenario is under way. Each write has whole lines.
type doing struct{ board *progress.Board }

func (d *doing) Write(text []byte) (int, error) {
	for line := range strings.Lines(string(text)) {
		d.board.Do(strings.TrimSpace(line))
	}
	return len(text), nil
}
