package cluster

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// A port-forward that was dropped, or that is renewed, is opened again at the same port.
func TestForwardIsOpenedAgain(t *testing.T) {
	for _, row := range []struct {
		sentence string
		lose     func(*Forward, *tunnel)
	}{
		{"it was dropped", func(_ *Forward, was *tunnel) { was.done <- nil }},
		{"somebody asked for another", func(f *Forward, _ *tunnel) { f.Renew() }},
		{"somebody asked twice", func(f *Forward, _ *tunnel) { f.Renew(); f.Renew() }},
		{"somebody asked again while it was opened", func(f *Forward, _ *tunnel) {
			open := f.open
			f.open = func(ctx context.Context, port uint16) (*tunnel, error) {
				f.Renew()
				return open(ctx, port)
			}
			f.Renew()
		}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var opened []uint16
				open := func(_ context.Context, port uint16) (*tunnel, error) {
					opened = append(opened, port)
					return &tunnel{port: port, stop: make(chan struct{}), done: make(chan error, 1)}, nil
				}
				first := &tunnel{port: 40001, stop: make(chan struct{}), done: make(chan error, 1)}
				ctx, cancel := context.WithCancel(t.Context())
				f := &Forward{open: open, renew: make(chan struct{}, 1), close: cancel, done: make(chan struct{})}
				row.lose(f, first)
				go func() {
					defer close(f.done)
					f.keep(ctx, first)
				}()
				time.Sleep(2 * closeTimeout)
				f.Close()
				if len(opened) != 1 || opened[0] != 40001 {
					t.Errorf("opened at %v, want once at 40001", opened)
				}
			})
		})
	}
}
