package switchover

import (
	"os"
	"testing"

	"example.com/rollcall/harness/run"
)

var suite run.Suite

func TestMain(m *testing.M) { os.Exit(suite.Main(m)) }

func TestSwitchover(t *testing.T) { suite.Test(t, "switchover", All()...) }
