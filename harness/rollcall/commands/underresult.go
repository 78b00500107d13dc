package commands

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"example.com/rollcall/harness/during"
	"example.com/rollcall/harness/run"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/model"
)

// An underResult is what was found under load, for a script. The report.json of the run folder has more.
type underResult struct {
	Folder     string                `json:"folder"` // of the run
	Exit       int                   `json:"exit_code"`
	Says       []string              `json:"says"` // what the recordings show together, such as what a merge costs
	Recordings []underRecording      `json:"recordings"`
	Findings   []model.TestedFinding `json:"findings"`         // of the manifests, and what the load says to them
	Broken     []string              `json:"broken,omitempty"` // what kept something from being recorded
}

// An underRecording is what clients lost in one recording.
type underRecording struct {
	ID       string          `json:"id"` // such as rollout or merge
	Mode     string          `json:"mode"`
	Claim    string          `json:"claim"` // what was done, and what clients may lose
	Outcome  verdict.Outcome `json:"outcome"`
	Because  string          `json:"because"`
	Sent     int             `json:"sent"` // requests
	Lost     int             `json:"lost"` // of them
	Limits   []model.Limit   `json:"limits"`
	Advice   []model.Advice  `json:"advice"`
	Patch    *model.Patch    `json:"patch,omitempty"` // that follows the advice; absent: a manifest cannot
	Evidence string          `json:"evidence"`        // folder in that of the run
}

// noting returns reports that also note the run folder.
func noting(into *string, of run.Reports) run.Reports {
	return func(folder string) run.Reporter {
		*into = folder
		return of(folder)
	}
}

// resultOf returns what the report of a run folder says.
func resultOf(folder string, code int) (*underResult, error) {
	report, err := reports.Read(folder)
	if err != nil {
		return nil, err
	}
	r := underResult{Folder: folder, Exit: code, Says: []string{}, Recordings: []underRecording{}, Findings: report.Findings,
		Broken: report.Run.Broken}
	if r.Findings == nil {
		r.Findings = []model.TestedFinding{}
	}
	text, err := os.ReadFile(filepath.Join(folder, during.ResultFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		r.Says = append(r.Says, strings.TrimSuffix(line, "\n"))
	}
	for _, s := range report.Scenarios {
		of := underRecording{ID: s.ID, Mode: s.Mode, Claim: s.Claim, Outcome: s.Outcome, Because: s.Brief(), Sent: s.Requests(), Lost: s.Failed(),
			Limits: s.Limits, Advice: s.Advice, Patch: s.Patch, Evidence: s.Evidence}
		if of.Limits == nil {
			of.Limits = []model.Limit{}
		}
		if of.Advice == nil {
			of.Advice = []model.Advice{}
		}
		r.Recordings = append(r.Recordings, of)
	}
	return &r, nil
}

func printResult(cmd *cobra.Command, out *output, folder string, code int) error {
	result, err := resultOf(folder, code)
	if err != nil {
		return err
	}
	return out.print(cmd.OutOrStdout(), result, nil)
}
