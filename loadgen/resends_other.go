//go:build !linux

package loadgen

// segmentsResent is known on Linux only.
func segmentsResent(int) int64 { return 0 }
