package switchover

import (
	"os"
	"testing"

	"rollcall/harness"
)

var rig harness.Rig

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }

func TestSwitchover(t *testing.T) { rig.Test(t, "switchover", All()...) }
