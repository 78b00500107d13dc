package termination

import (
	"os"
	"testing"

	"rollcall/harness"
)

var rig harness.Rig

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }

func TestTermination(t *testing.T) { rig.Test(t, "termination", All()...) }
