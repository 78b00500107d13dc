package store

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain is the test, or the process that a test starts to kill it.
func TestMain(m *testing.M) {
	if dir := os.Getenv(recordInto); dir != "" {
		recordUntilKilled(dir)
	}
	goleak.VerifyTestMain(m)
}
