package conformance

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

// A screen is where a run prints what goes on.
type screen struct {
	run io.Writer                             // lines about the run as a whole, such as a cluster that is made
	of  func(mode, scenario string) io.Writer // all that is said of a scenario
}

// watched does the work of a run. On a terminal a table of what is under way is drawn; elsewhere a line is printed for every
// scenario that ended. All other lines go to the run folder's log, or with Verbose to the output in place of that. The error
// is about what is shown.
func (r *run) watched(ctx context.Context, work func(screen)) error {
	beside, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var watching errgroup.Group
	s, log := screen{r.out, func(string, string) io.Writer { return r.out }}, io.NopCloser(nil)
	if !r.Verbose {
		file, err := os.OpenFile(filepath.Join(r.runner.Out, logFile), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		log = file
		lines := newLineLog(file)
		logClientGo(lines)
		defer klog.LogToStderr(true)
		var shown progress.Screen = progress.NewLog(r.out)
		s = screen{io.MultiWriter(r.out, lines), lines.of}
		if table, drawn := progress.OnTerminal(r.out); drawn {
			shown, s.run = table, lines
		}
		watching.Go(func() error { return progress.Follow(beside, filepath.Join(r.runner.Out, progress.File), shown) })
	}
	work(s)
	stop() // only now, so that what ended last is shown
	if unwritten := watching.Wait(); unwritten != nil {
		fmt.Fprintln(os.Stderr, unwritten) // the run is none the worse for it
	}
	return log.Close()
}

// logClientGo has what client-go says go to a log: that a connection broke is no news, and would fall into the table. Without a
// threshold of its own, what klog takes for an error goes to stderr besides.
func logClientGo(log io.Writer) {
	flags := flag.NewFlagSet("klog", flag.PanicOnError)
	klog.InitFlags(flags)
	_ = flags.Parse([]string{"-logtostderr=false", "-stderrthreshold=FATAL"}) // it panics
	klog.SetOutput(log)
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
