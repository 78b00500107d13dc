package commands

import (
	"fmt"
	"os"
	"slices"

	"example.com/rollcall/harness/check"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/run"
	"example.com/rollcall/harness/try"
	"example.com/rollcall/reports/findings"
	"example.com/rollcall/reports/model"
)

// A foundList is what manifests say before they are tried, for the run folder to have: reports say what the load says to it.
type foundList []model.TestedFinding

// foundBefore returns what the manifests of a plan say, without what is ignored: first of the app that is rolled out, then of others.
func foundBefore(p try.Plan) (found foundList, _ error) {
	objects, base := p.Manifests()
	var rolled, others findings.Result
	for _, app := range check.Apps(objects, base) {
		into := &others
		if p.Rolls(app.Workload, app.Service) {
			into = &rolled
		}
		if err := addApp(into, app, func(model.Finding) string { return "" }); err != nil {
			return nil, err
		}
	}
	found = foundOf(rolled, true)
	for _, other := range foundOf(others, false) {
		same := func(f model.TestedFinding) bool { return f.Code == other.Code && f.Object == other.Object }
		if !slices.ContainsFunc(found, same) { // else another Service leads to the same pods
			found = append(found, other)
		}
	}
	return found, nil
}

func foundOf(r findings.Result, rolled bool) (found foundList) {
	r = r.Sorted()
	for _, f := range slices.Concat(r.Certain, r.Questions) {
		found = append(found, model.TestedFinding{Code: f.Code, ID: f.ID, Certain: f.Certain, Object: f.Object, Field: f.Field,
			File: f.File, Line: f.Line, Says: f.Says, Rolled: rolled})
	}
	return found
}

// reportsOf returns the reporter of a run folder, which it gives the list.
func (found foundList) reportsOf(folder string) run.Reporter {
	if len(found) > 0 {
		if err := store.WriteJSON(evidence.FindingsPath(folder), found); err != nil {
			fmt.Fprintf(os.Stderr, "what check says of the manifests is not in the report: %v\n", err)
		}
	}
	return reportsOf(folder)
}
