package autoscale

import (
	"os"
	"testing"

	"example.com/rollcall/harness/runner"
)

var suite runner.Runner

func TestMain(m *testing.M) { os.Exit(suite.Main(m)) }

func TestAutoscale(t *testing.T) { suite.Test(t, "autoscale", All()...) }
