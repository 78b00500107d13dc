package control

import (
	"os"
	"testing"

	"rollcall/harness"
)

var rig harness.Rig

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }

func TestControl(t *testing.T) { rig.Test(t, "control", All()...) }
