package during

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"example.com/rollcall/harness/command"
	"example.com/rollcall/harness/run"
	"example.com/rollcall/harness/usage"
)

// folderVariable is the environment variable that tells a process of `rollcall during begin` to be the recorder of a run folder,
// which outlives the process that started it.
const folderVariable = "ROLLCALL_RECORDER"

// beginVerb is the command that starts a recorder, after rollcall.
const beginVerb = "during begin"

// IsRecorder reports whether this process is a recorder that Begin started.
func IsRecorder() bool { return os.Getenv(folderVariable) != "" }

// atOnce is the --wait of a recorder: whoever begins one is about to begin the maintenance.
const atOnce = "0s"

// Record runs the recorder in such a process, until the end of the maintenance is reported.
func Record(ctx context.Context, o Options, reports run.Reports) (int, error) {
	signals, stop := notified()
	defer stop()
	folder := os.Getenv(folderVariable)
	if err := os.Unsetenv(folderVariable); err != nil {
		return 0, err
	}
	o.Wait = cmp.Or(o.Wait, atOnce)
	a, err := o.prepare()
	if err != nil {
		return 0, errors.Join(err, os.RemoveAll(folder))
	}
	r := recorder{settings: a, root: filepath.Dir(folder), folder: folder, line: o.line(beginVerb, nil), record: a.plan.Record,
		reports: reports}
	return r.detached(ctx, signals)
}

// detached runs a recorder that outlives its parent. The parent reads its standard output, which is closed when the load is steady.
func (r recorder) detached(ctx context.Context, signals <-chan os.Signal) (int, error) {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // without this, writing after the parent's end would end this process
	r.begun = os.Stdout.Close
	return r.run(ctx, Terminal{Out: os.Stdout, Errors: io.Discard, Signals: signals}, nil)
}

// Begin starts a recorder and waits until its load is steady. It returns a [usage.Error] if nothing was created.
func Begin(ctx context.Context, out io.Writer, o Options) error {
	a, err := o.prepare()
	if err != nil {
		return err
	}
	folder, err := newFolder(beginVerb, a.plan.Layout.Runs())
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	return begin(ctx, out, recorderOf(program, folder, o), folder)
}

// recorderOf returns the command that starts the recorder. Secrets are in its environment.
func recorderOf(program, folder string, o Options) *exec.Cmd {
	cmd := exec.Command(program, append(strings.Fields(beginVerb), o.List().Args()...)...)
	cmd.Env = append(append(os.Environ(), o.List().Secrets()...), folderVariable+"="+folder)
	return cmd
}

// begin starts a recorder in a session of its own, which no terminal ends, and copies what it prints until its load is steady.
func begin(ctx context.Context, out io.Writer, cmd *exec.Cmd, folder string) error {
	log, err := os.OpenFile(filepath.Join(folder, logFile), os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd.Stderr = log
	said, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	command.Detach(cmd)
	if err := cmd.Start(); err != nil {
		return errors.Join(fmt.Errorf("start the recorder: %w", err), os.RemoveAll(folder))
	}
	defer context.AfterFunc(ctx, func() { _ = cmd.Process.Signal(syscall.SIGTERM) })()
	_, _ = io.Copy(tee{out}, said) // until the load is steady, or the recorder has ended: the call tells which
	if answer, err := call(ctx, folder, steadyVerb, ""); err == nil {
		return answer.Body.Close()
	}
	_ = cmd.Wait() // failure looks at the exit code
	return failure(log, cmd.ProcessState.ExitCode(), context.Cause(ctx))
}

// badInput is the exit code of a recorder with bad input.
const badInput = 2

// failure returns why a recorder ended before its load was steady: the last line of its log.
func failure(log *os.File, code int, interrupted error) error {
	if interrupted != nil {
		return interrupted
	}
	if _, err := log.Seek(0, io.SeekStart); err != nil {
		return err
	}
	why := "it printed nothing"
	for lines := bufio.NewScanner(log); lines.Scan(); {
		if line := strings.TrimSpace(lines.Text()); line != "" {
			why = strings.TrimPrefix(line, "Error: ")
		}
	}
	if code == badInput {
		return usage.New("rollcall "+beginVerb, why, "nothing was created")
	}
	return fmt.Errorf("the recorder ended with exit code %d: %s", code, why)
}
