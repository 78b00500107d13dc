package own

import (
	"os"
	"testing"

	"example.com/rollcall/harness/runner"
)

var suite runner.Runner

func TestMain(m *testing.M) { os.Exit(suite.Main(m)) }

func TestOwn(t *testing.T) {
	app := suite.UserApp()
	if app == nil {
		t.Skip("no app of yours was named: -app=FILE")
	}
	suite.Test(t, "own", All(app)...)
}
