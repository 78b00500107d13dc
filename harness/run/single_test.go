package run

import (
	"context"
	"errors"
	"io"
	"testing"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/evidence"
)

// What has nothing to record is passed over, and those after it are asked.
func TestNothingToRecord(t *testing.T) {
	asked := ""
	of := func(name string, err error) ScenarioFunc {
		return func(context.Context, cluster.Cluster) (harness.Scenario, error) {
			asked += name
			return harness.Scenario{}, err
		}
	}
	broken := errors.New("the API server does not answer")
	p := Plan{Options: Options{FromHost: true}, Modes: []string{evidence.NoCluster}}
	err := p.Record(t.Context(), io.Discard, Into{Folder: t.TempDir(), Suite: "during"}, of("a", ErrNothing), of("b", ErrNothing),
		of("c", broken), of("d", nil))
	if err != nil || asked != "abc" {
		t.Errorf("%s were asked, and it is %v", asked, err)
	}
}
