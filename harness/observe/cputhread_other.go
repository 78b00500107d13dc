//go:build !linux

package observe

import "time"

// A thread cannot be read but on Linux: see [MeasureCPUWait].
type thread struct{}

func openThread(string) *thread { return nil }

func (*thread) waited() (time.Duration, error) { return 0, errEnded }

func (*thread) close() {}
