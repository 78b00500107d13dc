package termination

import (
	"os"
	"testing"

	"example.com/rollcall/harness/runner"
)

var suite runner.Runner

func TestMain(m *testing.M) { os.Exit(suite.Main(m)) }

func TestTermination(t *testing.T) { suite.Test(t, "termination", All()...) }
