// Package suites lists every suite by name.
package suites

import (
	"example.com/rollcall/harness"
	"example.com/rollcall/suites/autoscale"
	"example.com/rollcall/suites/control"
	"example.com/rollcall/suites/dataplane"
	"example.com/rollcall/suites/disruption"
	"example.com/rollcall/suites/regressions"
	"example.com/rollcall/suites/rollout"
	"example.com/rollcall/suites/statusgap"
	"example.com/rollcall/suites/streams"
	"example.com/rollcall/suites/switchover"
	"example.com/rollcall/suites/termination"
	"example.com/rollcall/suites/upgrade"
)

// All returns the scenarios of every suite, by the name of its folder.
func All() map[string][]harness.Scenario {
	return map[string][]harness.Scenario{
		"autoscale":   autoscale.All(),
		"control":     control.All(),
		"dataplane":   dataplane.All(),
		"disruption":  disruption.All(),
		"regressions": regressions.All(),
		"rollout":     rollout.All(),
		"statusgap":   statusgap.All(),
		"streams":     streams.All(),
		"switchover":  switchover.All(),
		"termination": termination.All(),
		"upgrade":     upgrade.All(),
	}
}
