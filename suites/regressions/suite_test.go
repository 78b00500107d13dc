package regressions

import (
	"os"
	"testing"

	"example.com/rollcall/harness/run"
)

var suite run.Suite

func TestMain(m *testing.M) { os.Exit(suite.Main(m)) }

func TestRegressions(t *testing.T) { suite.Test(t, "regressions", All()...) }
