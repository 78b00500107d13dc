package own

import (
	"os"
	"testing"

	"rollcall/harness"
)

var rig harness.Rig

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }

func TestOwn(t *testing.T) {
	app := rig.Own()
	if app == nil {
		t.Skip("no app of yours was named: -app=FILE")
	}
	rig.Test(t, "own", All(app)...)
}
