package autoscale

import (
	"os"
	"testing"

	"rollcall/harness"
)

var rig harness.Rig

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }

func TestAutoscale(t *testing.T) { rig.Test(t, "autoscale", All()...) }
