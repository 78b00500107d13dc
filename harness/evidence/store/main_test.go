package store

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain runs the tests, or the process that a test starts in order to kill it.
func TestMain(m *testing.M) {
	if dir := os.Getenv(recordInto); dir != "" {
		recordUntilKilled(dir)
	}
	goleak.VerifyTestMain(m)
}
