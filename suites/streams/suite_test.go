package streams

import (
	"os"
	"testing"

	"example.com/rollcall/harness/run"
)

var suite run.Suite

func TestMain(m *testing.M) { os.Exit(suite.Main(m)) }

func TestStreams(t *testing.T) { suite.Test(t, "streams", All()...) }
