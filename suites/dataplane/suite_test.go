package dataplane

import (
	"os"
	"testing"

	"rollcall/harness"
)

var rig harness.Rig

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }

func TestDataplane(t *testing.T) { rig.Test(t, "dataplane", All()...) }
