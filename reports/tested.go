package reports

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/reports/advice"
	"example.com/rollcall/reports/model"
)

// TestedTitle stands above what load says to findings.
const TestedTitle = "What rollcall check says of the manifests, under this load"

// tested returns what was found in the manifests that a run folder is about, and what its recordings say to it.
func tested(dir string, recordings []model.Scenario) ([]model.TestedFinding, error) {
	var found []model.TestedFinding
	err := store.ReadJSON(evidence.FindingsPath(dir), &found)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return advice.Test(found, recordings), err
}

// namedFindings is how many findings of one state, for one reason, are named.
const namedFindings = 5

// Tested returns a line for each state of findings and reason for it: confirmed ones first.
func Tested(findings []model.TestedFinding) (lines []string) {
	for _, state := range []model.FindingState{model.FindingConfirmed, model.FindingRefuted, model.FindingUnseen} {
		named, reasons := map[string][]string{}, []string(nil)
		for _, f := range findings {
			if f.State == state {
				reasons = append(reasons, f.Because)
				named[f.Because] = append(named[f.Because], f.Code+" "+f.ID+" of "+f.Object)
			}
		}
		for _, because := range model.Distinct(reasons, func(reason string) string { return reason }) {
			of := named[because]
			said := strings.Join(of[:min(len(of), namedFindings)], ", ")
			if more := len(of) - namedFindings; more > 0 {
				said += " and " + phrase.Number(more) + " more"
			}
			lines = append(lines, fmt.Sprintf("%s: %s: %s", strings.ReplaceAll(string(state), "-", " "), said, because))
		}
	}
	return lines
}

func printTested(b *bytes.Buffer, findings []model.TestedFinding) {
	if len(findings) == 0 {
		return
	}
	b.WriteString("\n" + TestedTitle + ":\n")
	for _, line := range Tested(findings) {
		explain(b, line)
	}
}
