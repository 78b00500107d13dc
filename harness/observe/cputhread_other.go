//go:build !linux

package observe

import "time"

// A thread can be measured on Linux only: see [MeasureCPUWait].
type thread struct{}

func openThread(string) *thread { return nil }

func (*thread) waited() (time.Duration, error) { return 0, errEnded }

func (*thread) close() {}
