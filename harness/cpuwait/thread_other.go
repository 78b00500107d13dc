//go:build !linux

package cpuwait

import "time"

// A thread cannot be read but on Linux: see [Start].
type thread struct{}

func openThread(string) *thread { return nil }

func (*thread) waited() (time.Duration, error) { return 0, errGone }

func (*thread) close() {}
