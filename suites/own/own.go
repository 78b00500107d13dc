// Package own asks about a user's app what the suite rollout asks about ours.
package own

import (
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/userapp"
)

// All lists the scenarios of this suite for an app; none if the app is nil.
func All(app *userapp.App) []harness.Scenario {
	if app == nil {
		return nil
	}
	return []harness.Scenario{
		update(app, "update", "rolling out the next version", app.Update()),
		update(app, "update-back", "rolling back to the version before", app.Back()),
	}
}
