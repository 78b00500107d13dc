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
	"time"

	"example.com/rollcall/harness/conformance"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/namespace"
	"example.com/rollcall/harness/runner"
	"example.com/rollcall/harness/sharedfile"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/reports/model"
)

// A Terminal is the user's: its streams, and the signals from it.
type Terminal struct {
	Out, Errors io.Writer
	In          *os.File         // nil: no input
	Signals     <-chan os.Signal // nil: those of this process, once there is something to end
}

// failed is the exit code of a recording without a report, see package main.
const failed = 3

// logFile, in the run folder, has all that a recorder prints.
const logFile = "log.txt"

// lockName is the file beside run folders that a recorder locks while it lives.
const lockName = "during.lock"

// Run records what a command costs, and returns the exit code of the verdict. It returns an error if there is no report: a
// [usage.Error] if nothing was created.
func Run(ctx context.Context, at Terminal, o Options, command []string) (int, error) {
	a, err := o.prepare()
	if err == nil {
		err = checkCommand(command)
	}
	if err != nil {
		return 0, err
	}
	r := recorder{settings: a, line: o.line("during", command), record: a.runner.Record}
	return r.inNewFolder(ctx, at, "during", command)
}

// newFolder makes a run folder, if checkFree allows it.
func newFolder(verb, root string) (string, error) {
	if err := checkFree(verb, root); err != nil {
		return "", err
	}
	folder, err := runner.NewFolder(root, "-"+suite)
	if err != nil {
		return "", err
	}
	if folder, err = filepath.Abs(folder); err != nil { // the command may change its folder
		return "", err
	}
	return filepath.EvalSymlinks(folder)
}

// checkFree returns an error if another recording is under way, or if a recorder was killed and its recording has not been judged.
func checkFree(verb, root string) error {
	held, err := sharedfile.TryLock(filepath.Join(root, lockName))
	folder, unknown := current(root)
	switch {
	case errors.Is(err, sharedfile.ErrHeld):
		return underWay(verb, folder)
	case err != nil:
		return usage.New("run folders "+root, err.Error(), "make them writable")
	}
	if err := errors.Join(held.Release(), unknown); err != nil {
		return err
	}
	if folder != "" && !ended(folder) {
		return usage.New("rollcall "+verb, "the recorder of "+folder+" was killed", "have what it recorded judged first: rollcall during end")
	}
	return nil
}

// underWay returns the error about another recording, in a run folder.
func underWay(verb, folder string) error {
	var session evidence.Session
	_ = store.ReadJSON(evidence.SessionPath(folder), &session) // it has none in its first moments
	remedy := "wait for its end, or end it with Ctrl-C where it runs"
	if strings.HasPrefix(session.Command, "rollcall "+beginVerb) {
		remedy = "end it first: rollcall during end"
	}
	return usage.New("rollcall "+verb, fmt.Sprintf("%s is recording, in %s",
		phrase.Cut(cmp.Or(session.Command, "another command"), 80), folder), remedy)
}

// ended reports whether the session of a run folder has ended.
func ended(folder string) bool {
	var session evidence.Session
	return store.ReadJSON(evidence.SessionPath(folder), &session) == nil && !session.Ended.IsZero()
}

// A recorder records in this process.
type recorder struct {
	settings
	root, folder string       // root has all run folders
	line         string       // command line that reproduces the recording
	changes      []Change     // one after the other, instead of a command
	created      Created      // by changes; nil: they created nothing
	begun        func() error // called when the load is steady; nil: nobody waits for that
	record       func(ctx context.Context, out io.Writer, suite, command string, of ...runner.Asks) error
}

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
	listening, err := serve(r.folder, len(command)+len(r.changes) == 0, screen)
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
	if err := conformance.Link(r.root, linkName, r.folder); err != nil {
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
	r.runner.Out = r.folder
	asks := []runner.Asks{m.scenarioOn}
	if len(r.changes) > 0 {
		asks = m.scenariosOf(r.changes)
	}
	unrecorded := r.record(ctx, m.screen, suite, r.line, asks...)
	var left error
	if r.created != nil && m.stays() {
		left = r.remove(context.WithoutCancel(ctx), m.screen)
	}
	if usage.Is(unrecorded) && left != nil { // the run folder says what was left
		return 0, errors.Join(unrecorded, os.Remove(filepath.Join(r.root, linkName)))
	}
	if inUse := (*namespace.InUseError)(nil); usage.Is(unrecorded) || errors.As(unrecorded, &inUse) {
		return 0, errors.Join(unrecorded, os.Remove(filepath.Join(r.root, linkName)), os.RemoveAll(r.folder))
	}
	unnoted := r.noteBroken(m.unfinished, unrecorded) // on a full disk; what is there is judged all the same
	report, err := conformance.Report(m.screen, r.root, r.folder)
	if len(command) > 0 && m.commandTook > 0 {
		m.screen.say(m.commandEnd())
	}
	if unnoted != nil {
		return 0, errors.Join(unrecorded, unnoted, err)
	}
	return model.ExitCode(report), err
}

// removeTimeout limits the time for deleting what changes created, as that for namespaces is limited (harness/namespace/cleanup.go).
const removeTimeout = 2 * time.Minute

// remove deletes what changes created, and prints what it cannot delete.
func (r recorder) remove(ctx context.Context, screen *screen) error {
	ctx, cancel := context.WithTimeoutCause(ctx, removeTimeout, fmt.Errorf("not deleted in %v", removeTimeout))
	defer cancel()
	err := r.created.Remove(ctx)
	if err != nil {
		screen.say(err.Error())
	}
	return err
}

// staying lists what stays if this process ends now.
func (r recorder) staying() string {
	stays := []string{"ended by the third interrupt; what stays:", "run folder " + r.folder}
	if r.created != nil {
		stays = append(stays, r.created.Stays()...)
	}
	switch {
	case r.runner.FromHost:
	case r.runner.Attached():
		stays = append(stays, "namespaces of this run and what is in them: rollcall clean with the same --context and --namespace deletes it")
	default:
		stays = append(stays, "the kind cluster, if there is one: rollcall clean deletes it")
	}
	return strings.Join(stays, "\n    ")
}

// noteBroken writes into the session why the recording is incomplete.
func (r recorder) noteBroken(unfinished string, unrecorded error) error {
	var broken []string
	if unfinished != "" {
		broken = append(broken, unfinished)
	}
	if unrecorded != nil {
		broken = append(broken, usage.OneLine(unrecorded))
	}
	if len(broken) == 0 {
		return nil
	}
	if err := store.EditSession(r.folder, func(s *evidence.Session) { s.Broken = append(s.Broken, broken...) }); err != nil {
		return fmt.Errorf("note what broke: %w", err)
	}
	return nil
}
