// Package suites knows every suite by name.
package suites

import (
	"rollcall/harness"
	"rollcall/harness/userapp"
	"rollcall/suites/autoscale"
	"rollcall/suites/control"
	"rollcall/suites/dataplane"
	"rollcall/suites/disruption"
	"rollcall/suites/own"
	"rollcall/suites/regressions"
	"rollcall/suites/rollout"
	"rollcall/suites/statusgap"
	"rollcall/suites/switchover"
	"rollcall/suites/termination"
	"rollcall/suites/upgrade"
)

// All is the scenarios of every suite, by the name of its folder. Those of the suite own are about a user's app.
func All(app *userapp.App) map[string][]harness.Scenario {
	return map[string][]harness.Scenario{
		"autoscale":   autoscale.All(),
		"control":     control.All(),
		"dataplane":   dataplane.All(),
		"disruption":  disruption.All(),
		"own":         own.All(app),
		"regressions": regressions.All(),
		"rollout":     rollout.All(),
		"statusgap":   statusgap.All(),
		"switchover":  switchover.All(),
		"termination": termination.All(),
		"upgrade":     upgrade.All(),
	}
}
