package during

import (
	"context"
	"errors"
	"os"
	"sync"
	"syscall"
)

// errInterrupted is why a recording was torn down.
var errInterrupted = errors.New("interrupted")

// interrupts are what Ctrl-C means: the first is for the command, if one runs, and the next tears down.
type interrupts struct {
	mu      sync.Mutex
	signal  func(syscall.Signal) // to the command; nil while none runs
	passed  bool                 // one was, to the command
	tearing context.CancelCauseFunc
}

// watch gives a context that ends when the recording is torn down, by signals until stop.
func watchInterrupts(ctx context.Context, signals <-chan os.Signal) (_ context.Context, i *interrupts, stop func()) {
	i = &interrupts{}
	ctx, i.tearing = context.WithCancelCause(ctx)
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
	return ctx, i, func() { close(stopped); i.tearing(nil) }
}

func (i *interrupts) take(s os.Signal) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if s == os.Interrupt && i.signal != nil && !i.passed {
		i.passed = true
		i.signal(syscall.SIGINT)
		return
	}
	i.tearing(errInterrupted)
}

// running has the first interrupt go to the command, until it has ended: then signal is nil.
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
