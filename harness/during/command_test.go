package during

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/record"
)

// sh returns a command that runs a script, with its output in a buffer.
func sh(script string, out io.Writer) userCommand {
	return userCommand{args: []string{"sh", "-c", script}, env: append(os.Environ(), "ROLLCALL_RUN=here"), out: out, errOut: out}
}

func TestACommandsExitCode(t *testing.T) {
	for _, row := range []struct {
		sentence, script string
		code             int
		prints           string
	}{
		{"one that succeeds", "echo in $ROLLCALL_RUN", 0, "in here\n"},
		{"one that fails", "echo no >&2; exit 7", 7, "no\n"},
		{"one that a signal ends", "kill -KILL $$", 128 + 9, ""},
		{"what it leaves behind does not hold us up for long", "sleep 1000 >/dev/null 2>&1 & exit 0", 0, ""},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			var out bytes.Buffer
			var group int
			var left func(syscall.Signal)
			code := sh(row.script, &out).run(t.Context(), func(signal func(syscall.Signal)) { group++; left = signal })
			left(syscall.SIGKILL)
			if code != row.code || out.String() != row.prints || group != 1 {
				t.Errorf("exit code %d and %q, want %d and %q", code, out.String(), row.code, row.prints)
			}
		})
	}
	var out bytes.Buffer
	c := userCommand{args: []string{filepath.Join(t.TempDir(), "none")}, out: &out, errOut: &out}
	signalled := func(signal func(syscall.Signal)) { go signal(syscall.SIGINT) } // reaches nobody
	if code := c.run(t.Context(), signalled); code != notRun || !strings.Contains(out.String(), "no such file") {
		t.Errorf("a program that is not there: exit code %d, %q", code, &out)
	}
}

// A lineReader calls a function for each line. One write may have several lines.
type lineReader struct {
	came chan string
}

func (l *lineReader) Write(text []byte) (int, error) {
	for line := range strings.Lines(string(text)) {
		l.came <- line
	}
	return len(text), nil
}

func TestACommandIsEndedWithItsGroup(t *testing.T) {
	// The shell waits for its child, which the signal has to reach as well.
	const script = `trap : USR1 TERM; sh -c 'trap "echo child; exit" USR1 TERM; echo ready; while :; do sleep 0.05; done'; exit 9`
	for _, row := range []struct {
		sentence string
		end      func(cancel context.CancelFunc, signal func(syscall.Signal))
	}{
		{"by a signal that is passed on", func(_ context.CancelFunc, signal func(syscall.Signal)) { signal(syscall.SIGUSR1) }},
		{"by the end of the recording", func(cancel context.CancelFunc, _ func(syscall.Signal)) { cancel() }},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			out := &lineReader{came: make(chan string, 10)}
			var signal func(syscall.Signal)
			ended := make(chan int)
			started := make(chan struct{})
			go func() {
				ended <- sh(script, out).run(ctx, func(s func(syscall.Signal)) { signal = s; close(started) })
			}()
			<-started
			if line := <-out.came; line != "ready\n" {
				t.Fatalf("printed %q", line)
			}
			row.end(cancel, signal)
			for line := range out.came {
				if line == "child\n" {
					break // before the shell's message about the sleep, which the signal reached too
				}
			}
			if code := <-ended; code != 9 {
				t.Errorf("exit code %d, want 9", code)
			}
		})
	}
}

func TestCommandLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		log := &commandLog{to: &b}
		out, errOut := log.stream("out"), log.stream("err")
		write := func(s *stream, text string) {
			if n, err := s.Write([]byte(text)); n != len(text) || err != nil {
				t.Errorf("%d, %v", n, err)
			}
			time.Sleep(time.Second)
		}
		write(out, "node/worker cor")
		write(errOut, "Warning: one\nWarning: two\n")
		write(out, "doned\n\nevicting")
		out.end()
		out.end()
		errOut.end()
		want := `2000-01-01T00:00:01.000Z err Warning: one
2000-01-01T00:00:01.000Z err Warning: two
2000-01-01T00:00:00.000Z out node/worker cordoned
2000-01-01T00:00:02.000Z out ` + `
2000-01-01T00:00:02.000Z out evicting
`
		if b.String() != want {
			t.Errorf("log:\n%s", &b)
		}
	})
}

func TestInterrupts(t *testing.T) {
	for _, row := range []struct {
		sentence string
		running  bool
		signals  []os.Signal
		passed   int // signals that reached the command
		torn     bool
		ended    int
	}{
		{"the first Ctrl-C is for the command", true, []os.Signal{os.Interrupt}, 1, false, 0},
		{"the second one tears down", true, []os.Signal{os.Interrupt, os.Interrupt}, 1, true, 0},
		{"SIGTERM tears down at once", true, []os.Signal{syscall.SIGTERM}, 0, true, 0},
		{"so does Ctrl-C where no command runs", false, []os.Signal{os.Interrupt}, 0, true, 0},
		{"nothing happens without one", true, nil, 0, false, 0},
		{"the third one ends the process", true, []os.Signal{os.Interrupt, os.Interrupt, os.Interrupt}, 1, true, 1},
		{"so it does where no command runs, and for SIGTERM", false, []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGTERM}, 0, true, 1},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ended := 0
				signals := make(chan os.Signal)
				ctx, i, stop := watchInterrupts(t.Context(), signals, func() { ended++ })
				defer stop()
				passed := 0
				if row.running {
					i.running(func(s syscall.Signal) {
						if s == syscall.SIGINT {
							passed++
						}
					})
				}
				for _, s := range row.signals {
					signals <- s
				}
				synctest.Wait()
				if passed != row.passed || (ctx.Err() != nil) != row.torn || i.reached() != (row.passed > 0) || ended != row.ended {
					t.Errorf("passed on %d times, torn down: %v, ended %d times", passed, context.Cause(ctx), ended)
				}
			})
		})
	}
}

func TestWhatEndsACommand(t *testing.T) {
	const deadline = time.Hour
	for _, row := range []struct {
		sentence string
		happens  func(recording context.CancelCauseFunc, signals chan<- os.Signal)
		goesOn   bool
		says     string
	}{
		{"nothing happens", func(context.CancelCauseFunc, chan<- os.Signal) {}, true, ""},
		{"the recording ends", func(end context.CancelCauseFunc, _ chan<- os.Signal) { end(observe.ErrNeverSettled) }, false, ""},
		{"nothing more can be recorded", func(end context.CancelCauseFunc, _ chan<- os.Signal) {
			end(&record.UnrecordedError{Because: "the disk is full"})
		}, true, "the disk is full: the load has ended, and what was recorded before is judged; your command goes on\n"},
		{"then SIGTERM comes", func(end context.CancelCauseFunc, signals chan<- os.Signal) {
			end(&record.UnrecordedError{Because: "the disk is full"})
			signals <- syscall.SIGTERM
		}, false, "the disk is full: the load has ended, and what was recorded before is judged; your command goes on\n"},
		{"the deadline comes", func(context.CancelCauseFunc, chan<- os.Signal) { time.Sleep(deadline) }, false, ""},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				signals := make(chan os.Signal)
				ctx, interrupts, stop := watchInterrupts(t.Context(), signals, func() {})
				defer stop()
				recording, end := context.WithCancelCause(ctx)
				var out bytes.Buffer
				m := &maintenance{settings: settings{deadline: deadline}, interrupts: interrupts,
					screen: &screen{terminal: &out, log: io.Discard}}
				running, over := m.untilEnded(recording)
				defer over()
				row.happens(end, signals)
				synctest.Wait()
				if goesOn := running.Err() == nil; goesOn != row.goesOn || out.String() != row.says {
					t.Errorf("goes on: %v; said %q", goesOn, &out)
				}
			})
		})
	}
}

// The output of a command reaches the run folder even if the terminal is gone.
func TestATeeGoesOn(t *testing.T) {
	var b bytes.Buffer
	broken, w := io.Pipe()
	broken.Close()
	if n, err := (tee{w, &b}).Write([]byte("x")); n != 1 || err != nil || b.String() != "x" {
		t.Errorf("%d, %v, %q", n, err, &b)
	}
}
