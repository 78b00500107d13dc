package harness

import (
	"testing"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/rollout"
)

// The estimate counts every replacement of the pods.
func TestEstimateOfSeveralRollouts(t *testing.T) {
	once := Scenario{App: fixtures.App{Replicas: 3}, Kind: UnderLoad{Rollout: rollout.Update("v1", "v2")}}
	often := once
	often.Kind = UnderLoad{Rollout: rollout.RestartThenUpdate("v1", "v2", 10)}
	if more := often.Estimate() - once.Estimate(); more != 10*3*podLasts {
		t.Errorf("10 restarts of 3 pods take %v more", more)
	}
}
