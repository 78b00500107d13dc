package during

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// errInterrupted is the cause of the end of a recording's context.
var errInterrupted = errors.New("interrupted")

// abandonAfter is how many signals end this process, whatever hangs.
const abandonAfter = 3

// interrupts handles Ctrl-C: the first goes to the command, if one runs, and the next ends the recording. The third one ends this process.
type interrupts struct {
	abandon func() // prints what stays, and ends this process

	mu      sync.Mutex
	count   int
	signal  func(syscall.Signal) // sends one to the command; nil: none runs
	passed  bool                 // one was sent to the command
	ctx     context.Context      // ends with tearing
	tearing context.CancelCauseFunc
}

// notified returns a channel of the interrupts of this process, which do not end it until stop is called.
func notified() (signals <-chan os.Signal, stop func()) {
	all := make(chan os.Signal, 1)
	signal.Notify(all, os.Interrupt, syscall.SIGTERM)
	return all, func() { signal.Stop(all) }
}

// watchInterrupts handles signals until stop is called. It returns a context that ends with the recording.
func watchInterrupts(ctx context.Context, signals <-chan os.Signal, abandon func()) (_ context.Context, i *interrupts, stop func()) {
	i = &interrupts{abandon: abandon}
	i.ctx, i.tearing = context.WithCancelCause(ctx)
	stopped := make(chan struct{})
	go func() {
		for {
			select {
			case s := <-signals:
				i.take(s)
			case <-stopped:
				return
			}
		}
	}()
	return i.ctx, i, func() { close(stopped); i.tearing(nil) }
}

func (i *interrupts) take(s os.Signal) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.count++; i.count >= abandonAfter {
		i.abandon()
		return
	}
	if s == os.Interrupt && i.signal != nil && !i.passed {
		i.passed = true
		i.signal(syscall.SIGINT)
		return
	}
	i.tearing(errInterrupted)
}

// running sets how to send the command a signal: the first interrupt goes to it. nil: the command has ended.
func (i *interrupts) running(signal func(syscall.Signal)) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.signal = signal
}

// reached reports whether the command was interrupted.
func (i *interrupts) reached() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.passed
}
