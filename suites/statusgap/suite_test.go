package statusgap

import (
	"os"
	"testing"

	"rollcall/harness"
)

var rig harness.Rig

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }

func TestStatusgap(t *testing.T) { rig.Test(t, "statusgap", All()...) }
