package reports_test

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"

	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/model"
)

// CSV writes a line for each scenario.
func CSV(w io.Writer, r model.Report) error {
	lines := csv.NewWriter(w)
	for _, s := range r.Scenarios {
		if err := lines.Write([]string{s.Suite + "/" + s.ID, s.Mode, s.Outcome.String()}); err != nil {
			return err
		}
	}
	lines.Flush()
	return lines.Error()
}

func ExampleFile() {
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)

	r := model.Report{Scenarios: []model.Scenario{{Suite: "rollout", ID: "drained-rolling-update", Mode: "iptables", Outcome: verdict.Pass}}}
	if err := reports.WriteFolder(folder, r, reports.File{Name: "scenarios.csv", Write: CSV}); err != nil {
		panic(err)
	}
	text, err := os.ReadFile(folder + "/scenarios.csv")
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s", text)
	// Output: rollout/drained-rolling-update,iptables,pass
}
