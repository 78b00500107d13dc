package during

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/namespace"
	"example.com/rollcall/harness/run"
	"example.com/rollcall/harness/sharedfile"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/verdict/phrase"
)

// A Terminal is the user's: its streams, and the signals from it.
type Terminal struct {
	Out, Errors io.Writer
	In          *os.File         // nil: no input
	Signals     <-chan os.Signal // nil: those of this process, once there is something to end
}

// failed is the exit code of a recording without a report, see package commands.
const failed = 3

// logFile, in the run folder, has all that a recorder prints.
const logFile = "log.txt"

// Run records what a command costs, and returns the exit code of the verdict. It returns an error if there is no report: a
// [usage.Error] if nothing was created.
func Run(ctx context.Context, at Terminal, o Options, command []string, reports run.Reports) (int, error) {
	a, err := o.prepare()
	if err == nil {
		err = checkCommand(command)
	}
	if err != nil {
		return 0, err
	}
	r := recorder{settings: a, line: o.line("during", command), record: a.plan.Record, reports: reports}
	return r.inNewFolder(ctx, at, "during", command)
}

// A recorder records in this process.
type recorder struct {
	settings
	root, folder string       // root has all run folders
	line         string       // command line that reproduces the recording
	parts        []Part       // instead of a command, one after the other
	begun        func() error // called when the load is steady; nil: nobody waits for that
	record       recordFunc   // without parts
	reports      run.Reports
}

// A recordFunc records scenarios one after the other, as [run.Plan.Record].
type recordFunc func(ctx context.Context, out io.Writer, into run.Into, of ...run.ScenarioFunc) error

// run records and writes the report. It removes the run folder if the input was bad and nothing was recorded.
func (r recorder) run(ctx context.Context, at Terminal, command []string) (code int, err error) {
	if at.Signals == nil {
		signals, stop := notified()
		defer stop()
		at.Signals = signals
	}
	held, err := sharedfile.TryLock(filepath.Join(r.root, lockName))
	if errors.Is(err, sharedfile.ErrHeld) {
		folder, _ := current(r.root) // empty if it is not known
		err = underWay("during", folder)
	}
	if err != nil {
		return 0, errors.Join(err, os.RemoveAll(r.folder))
	}
	defer func() { _ = held.Release() }() // for early returns; else it was released before
	log, err := os.OpenFile(filepath.Join(r.folder, logFile), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return 0, err
	}
	defer log.Close()
	screen := &screen{terminal: at.Out, errors: at.Errors, log: log}
	listening, err := serve(r.folder, len(command)+len(r.parts) == 0, screen)
	if err != nil {
		return 0, errors.Join(err, os.RemoveAll(r.folder))
	}
	defer func() {
		told := code
		if err != nil {
			told = failed
		}
		err = errors.Join(err, held.Release(), listening.close(told)) // released first: whoever learns of the end may begin again
	}()
	if err := run.Link(r.root, linkName, r.folder); err != nil {
		return 0, err
	}
	ctx, interrupts, stop := watchInterrupts(ctx, at.Signals, func() {
		screen.say(r.staying())
		os.Exit(failed)
	})
	defer stop()
	m := &maintenance{settings: r.settings, folder: r.folder, command: command, does: doing(command), id: scenario, input: at.In,
		server: listening, screen: screen, interrupts: interrupts, begun: r.begun}
	if err := sweepKubeconfigs(); err != nil {
		m.screen.say(fmt.Sprintf("kubeconfigs of runs that were killed are still there: %v", err))
	}
	defer func() { err = errors.Join(err, m.kubeconfig.remove()) }()
	m.sayContext()
	reporter := r.reports(r.folder)
	unrecorded, left := r.recordAll(ctx, m, m.telling(reporter.Reading))
	if len(unrecorded) > 0 && isRefusal(unrecorded[0]) {
		err := errors.Join(unrecorded[0], os.Remove(filepath.Join(r.root, linkName)))
		if left == nil { // else the run folder says what was left
			err = errors.Join(err, os.RemoveAll(r.folder))
		}
		return 0, err
	}
	unnoted := r.noteBroken(m.broken, unrecorded) // on a full disk; what is there is judged all the same
	code, err = reporter.Report(m.screen, r.root)
	if len(command) > 0 && m.commandTook > 0 {
		m.screen.say(m.commandEnd())
	}
	err = errors.Join(err, r.sayResults(screen))
	if unnoted != nil {
		return 0, errors.Join(append(unrecorded, unnoted, err)...)
	}
	return code, err
}

// recordAll records the command, or one part after the other. It returns an error for each that was not recorded to its end, and what could
// not be deleted. After an error that the first was refused, nothing was recorded.
func (r recorder) recordAll(ctx context.Context, m *maintenance, reading run.Reading) (unrecorded []error, left error) {
	into := run.Into{Folder: r.folder, Suite: suite, Command: r.line, Reading: reading}
	if len(r.parts) == 0 {
		if err := r.record(ctx, m.screen, into, m.scenarioOn); err != nil {
			unrecorded = append(unrecorded, err)
		}
		return unrecorded, nil
	}
	for i, part := range r.parts {
		if i > 0 && ctx.Err() != nil {
			unrecorded = append(unrecorded, fmt.Errorf("%s: not recorded: %w", part.plan.Options.Modes, context.Cause(ctx)))
			continue
		}
		m.settings, m.cluster, m.app = part.settings, nil, nil
		if len(r.parts) > 1 {
			m.screen.say("mode " + m.plan.Options.Modes)
		}
		err := part.record(ctx, m.screen, into, m.scenariosOf(part.Changes)...)
		if part.Created != nil && m.stays() {
			left = errors.Join(left, remove(context.WithoutCancel(ctx), part.Created, m.screen))
		}
		if i == 0 && isRefusal(err) {
			return []error{err}, left
		}
		if err != nil {
			unrecorded = append(unrecorded, fmt.Errorf("%s: %s", cmp.Or(m.plan.Options.Modes, "the cluster"), usage.OneLine(err)))
		}
	}
	return unrecorded, left
}

// isRefusal reports whether an error says that nothing was recorded, nor is to be judged.
func isRefusal(err error) bool {
	return usage.Is(err) || errors.As(err, new(*namespace.InUseError))
}

// remove deletes what changes created, and prints what it cannot delete.
func remove(ctx context.Context, created Created, screen *screen) error {
	ctx, cancel := context.WithTimeoutCause(ctx, removeTimeout, fmt.Errorf("not deleted in %v", removeTimeout))
	defer cancel()
	err := created.Remove(ctx)
	if err != nil {
		screen.say(err.Error())
	}
	return err
}

// staying lists what stays if this process ends now.
func (r recorder) staying() string {
	stays := []string{"ended by the third interrupt; what stays:", "run folder " + r.folder}
	for _, part := range r.parts {
		if part.Created != nil {
			stays = append(stays, part.Created.Stays()...)
		}
	}
	switch {
	case r.plan.Options.FromHost:
	case r.plan.Target != nil:
		stays = append(stays, "namespaces of this run and what is in them: rollcall clean with the same --context and --namespace deletes it")
	default:
		stays = append(stays, "the kind cluster, if there is one: rollcall clean deletes it")
	}
	return strings.Join(stays, "\n    ")
}

// ResultFile is the file in the run folder that has what the recordings show together, a line each.
const ResultFile = "result.txt"

// sayResults prints what the recordings of each part show together, and writes it into the run folder.
func (r recorder) sayResults(screen *screen) error {
	var lines []string
	for _, part := range r.parts {
		if part.Result == nil {
			continue
		}
		for line := range strings.SplitSeq(part.Result(), "\n") {
			if line != "" {
				lines = append(lines, line)
				screen.say(strings.Join(phrase.Wrap(line, resultWidth), "\n    "))
			}
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return os.WriteFile(filepath.Join(r.folder, ResultFile), []byte(phrase.PrintableLines(strings.Join(lines, "\n"))+"\n"), 0o644)
}

// resultWidth is how many columns a line of a result has, where those after the first are indented by 4.
const resultWidth = 116

// noteBroken writes into the session why the recording is incomplete.
func (r recorder) noteBroken(broken []string, unrecorded []error) error {
	for _, err := range unrecorded {
		broken = append(broken, usage.OneLine(err))
	}
	if len(broken) == 0 {
		return nil
	}
	if err := store.EditSession(r.folder, func(s *evidence.Session) { s.Broken = append(s.Broken, broken...) }); err != nil {
		return fmt.Errorf("note what broke: %w", err)
	}
	return nil
}
