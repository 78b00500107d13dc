package rollout

import (
	"os"
	"testing"

	"rollcall/harness"
)

var rig harness.Rig

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }

func TestRollout(t *testing.T) { rig.Test(t, "rollout", All()...) }
