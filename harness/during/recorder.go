package during

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"example.com/rollcall/harness/conformance"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/runner"
	"example.com/rollcall/harness/sharedfile"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/reports/model"
)

// A Terminal is whose command this is, and what signals it sends.
type Terminal struct {
	Out, Errors io.Writer
	In          *os.File // nil: nothing
	Signals     <-chan os.Signal
}

// failed is the exit code of a recording of which there is no report, see package main.
const failed = 3

// logFile, in the run folder, has all that a recorder prints.
const logFile = "log.txt"

// lockName, beside run folders, is the file that a recorder holds while it lives.
const lockName = "during.lock"

// Run records what a command costs, and returns the exit code of the verdict. It is an error if there is no report, one of
// [usage.Error] if nothing was created either.
func Run(ctx context.Context, at Terminal, o Options, command []string) (int, error) {
	a, err := o.prepare()
	if err == nil {
		err = checkCommand(command)
	}
	if err != nil {
		return 0, err
	}
	return record(ctx, at, recorder{asked: a, line: o.line("during", command), record: a.runner.Record}, "during", command)
}

// newFolder makes a run folder, unless another recording is in the way.
func newFolder(verb, root string) (string, error) {
	if err := checkFree(verb, root); err != nil {
		return "", err
	}
	folder := filepath.Join(root, time.Now().UTC().Format("20060102-150405")+"-"+suite)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", usage.New("run folder "+folder, err.Error(), "make "+root+" writable")
	}
	return filepath.EvalSymlinks(folder)
}

// checkFree refuses to begin while another recording is under way, or one was cut off that nobody has looked at.
func checkFree(verb, root string) error {
	held, err := sharedfile.TryLock(filepath.Join(root, lockName))
	folder, unknown := current(root)
	switch {
	case errors.Is(err, sharedfile.ErrHeld):
		return usage.New(verb, "another recording is under way, in "+folder, "end it first: rollcall during end")
	case err != nil:
		return usage.New("run folders "+root, err.Error(), "make them writable")
	}
	if err := errors.Join(held.Release(), unknown); err != nil {
		return err
	}
	if folder != "" && !ended(folder) {
		return usage.New(verb, "the recorder of "+folder+" was killed", "have what it recorded judged first: rollcall during end")
	}
	return nil
}

// ended reports whether the run of a folder came to its end.
func ended(folder string) bool {
	var session evidence.Session
	return store.ReadJSON(evidence.SessionPath(folder), &session) == nil && !session.Ended.IsZero()
}

// A recorder is the process of a recording.
type recorder struct {
	asked
	root, folder string
	line         string                      // to reproduce
	changes      []Change                    // one after the other, in place of a command
	remove       func(context.Context) error // removes what changes made; nil: they made nothing
	begun        func() error                // called when the load is steady; nil: nobody waits for that
	record       func(ctx context.Context, out io.Writer, suite, command string, of ...runner.Asks) error
}

// run records, and reports what was recorded. A folder in which nothing is, since that was refused, is removed.
func (r recorder) run(ctx context.Context, at Terminal, command []string) (code int, err error) {
	held, err := sharedfile.TryLock(filepath.Join(r.root, lockName))
	if errors.Is(err, sharedfile.ErrHeld) {
		err = usage.New("during", "another recording is under way", "end it first: rollcall during end")
	}
	if err != nil {
		return 0, errors.Join(err, os.RemoveAll(r.folder))
	}
	defer func() { _ = held.Release() }() // again, unless it ended early
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
		err = errors.Join(err, held.Release(), listening.close(told)) // who hears of the end may begin anew
	}()
	if err := conformance.Link(r.root, linkName, r.folder); err != nil {
		return 0, err
	}
	ctx, interrupts, stop := watchInterrupts(ctx, at.Signals)
	defer stop()
	m := &maintenance{asked: r.asked, folder: r.folder, command: command, does: doing(command), id: scenario, input: at.In, server: listening,
		screen: screen, interrupts: interrupts, begun: r.begun}
	r.runner.Out = r.folder
	asks := []runner.Asks{m.on}
	if len(r.changes) > 0 {
		asks = m.of(r.changes)
	}
	unrecorded := r.record(ctx, m.screen, suite, r.line, asks...)
	if r.remove != nil && m.stays() {
		if err := r.remove(context.WithoutCancel(ctx)); err != nil {
			m.screen.say(err.Error())
		}
	}
	if usage.Is(unrecorded) {
		return 0, errors.Join(unrecorded, os.Remove(filepath.Join(r.root, linkName)), os.RemoveAll(r.folder))
	}
	if err := r.noteBroken(m.unfinished, unrecorded); err != nil {
		return 0, errors.Join(unrecorded, err)
	}
	report, err := conformance.Report(m.screen, r.root, r.folder)
	if len(command) > 0 && m.commandTook > 0 {
		m.screen.say(m.commandEnd())
	}
	return model.ExitCode(report), err
}

// noteBroken notes why what was recorded, if anything, is not all of the maintenance.
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
