package reports

import (
	"fmt"
	"math"
	"strings"
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/verdict/phrase"
	"rollcall/reports/model"
)

// adviceOn is what the owner of an app would do about what was measured and what its manifests say, a sentence each.
func adviceOn(own evidence.UserApp, s model.Scenario) (advice []string) {
	n := s.Numbers
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
	case lag == 0:
	case s.Requests() > 0 && s.Failed() == 0 && !endedEarly(n):
		add("%s", margin(s, lag))
	case own.OtherHook:
	case own.PreStop == 0:
		add("Give the pods a preStop sleep of %s or more: nodes sent them requests for up to %.1f s after they had left the endpoints.", need,
			lag/1000)
	case own.PreStop < need:
		add("Make the preStop sleep of %s at least %s: nodes sent pods requests for up to %.1f s after they had left the endpoints.", own.PreStop,
			need, lag/1000)
	}
	if n.NeededDrains != nil {
		add("%s.", capital(drainCovers(*n.NeededDrains)))
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
	for _, lane := range s.Lanes {
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

// endedEarly reports whether an app ended before a node's rules had left it out: that nothing was lost then was luck.
func endedEarly(n model.Numbers) bool {
	return n.NeededDrains != nil && n.NeededDrains.Margin != nil && *n.NeededDrains.Margin <= 0
}

// margin says of an app that lost nothing by how much it served on for longer than it had to, as far as that was seen.
func margin(s model.Scenario, lag float64) string {
	what := "Nothing was lost"
	if t := s.Terminations; t != nil {
		what = fmt.Sprintf("Nothing was lost in %s, so at most %.1f %% of them lose a request at 95 %% confidence",
			phrase.Count(t.Count, "termination"), t.Upper)
	}
	if d := s.Numbers.NeededDrains; d != nil && d.Margin != nil {
		return fmt.Sprintf("%s: each pod served on for %.1f s or more after every node had stopped sending it requests.", what,
			*d.Margin/1000)
	}
	return fmt.Sprintf("%s: pods served on though nodes sent them requests for up to %.1f s after they had left the endpoints.", what,
		lag/1000)
}

func capital(sentence string) string { return strings.ToUpper(sentence[:1]) + sentence[1:] }
