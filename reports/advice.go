package reports

import (
	"fmt"
	"math"
	"time"

	"rollcall/harness/evidence"
	"rollcall/reports/model"
)

// adviceOn is what the owner of an app would do about what was measured and what its manifests say, a sentence each.
func adviceOn(own evidence.UserApp, n model.Numbers, lanes []model.Lane) (advice []string) {
	add := func(form string, args ...any) { advice = append(advice, fmt.Sprintf(form, args...)) }
	if !own.Probed {
		add("Give the pods a readiness probe: without one they are sent requests as soon as their container runs.")
	}
	lag := 0.0 // milliseconds
	for _, of := range []*model.Lags{n.RuleLag, n.DrainLag} {
		if of != nil {
			lag = max(lag, of.Max)
		}
	}
	need := time.Duration(math.Ceil(lag/1000)+1) * time.Second // a second more than was seen
	switch {
	case lag == 0 || own.OtherHook:
	case own.PreStop == 0:
		add("Give the pods a preStop sleep of %s or more: nodes sent them requests for up to %.1f s after they had left the endpoints.", need,
			lag/1000)
	case own.PreStop < need:
		add("Make the preStop sleep of %s at least %s: nodes sent pods requests for up to %.1f s after they had left the endpoints.", own.PreStop,
			need, lag/1000)
	}
	if own.PreStop > 0 && own.Grace <= own.PreStop {
		add("Make terminationGracePeriodSeconds, %s, longer than the preStop sleep of %s and what the last requests take: the app is killed without it.", own.Grace, own.PreStop)
	}
	if own.Autoscaled != "" && own.Replicas > 0 {
		add("Leave replicas out of the manifest: the autoscaler %s sets them, and every apply sets them back to %d.", own.Autoscaled,
			own.Replicas)
	}
	if own.Recreate {
		add("Recreate ends every old pod before the first new one starts, which nobody answers in: use RollingUpdate unless two versions must not run together.")
	}
	fresh, kept := 0, 0
	for _, lane := range lanes {
		switch {
		case lane.Kind().IsControl():
		case lane.Kind().KeepsAlive():
			kept += lane.Failed()
		default:
			fresh += lane.Failed()
		}
	}
	if kept > 0 && fresh == 0 {
		add("Have the app answer with Connection: close from SIGTERM on, and serve on for a while: only clients that keep their connections lost requests, %d of them.", kept)
	}
	return advice
}
