//go:build linux

package main

import (
	"context"
	"errors"
	"io"
	"testing"
)

func TestModeIsAwaited(t *testing.T) {
	asked := 0
	p := kubeProxy(func(path string) (string, error) {
		if asked++; path != "/proxyMode" || asked < 2 {
			return "", io.ErrUnexpectedEOF
		}
		return "nftables", nil
	})
	if mode, err := p.mode(t.Context()); mode != "nftables" || err != nil {
		t.Errorf("%q, %v", mode, err)
	}
}

func TestModeIsAwaitedNoLongerThanTheRun(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := kubeProxy(func(string) (string, error) { cancel(); return "", io.ErrUnexpectedEOF })
	if _, err := p.mode(ctx); !errors.Is(err, context.Canceled) || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}
