package reports

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/reports/model"
	"example.com/rollcall/reports/workflow"
)

// GitHub reports r to the GitHub workflow that runs this process, if getenv, such as os.Getenv, says that one does. It writes annotations
// to w, which has to be the step's output, and appends the summary to the step's, as far as that has room.
func GitHub(w io.Writer, getenv func(string) string, r model.Report) error {
	var told error
	if getenv("GITHUB_ACTIONS") == "true" {
		told = Annotations(w, r)
	}
	if path := getenv("GITHUB_STEP_SUMMARY"); path != "" {
		told = errors.Join(told, appendSummary(path, r))
	}
	return told
}

// Annotations writes r as workflow commands: an error for every scenario that failed and for a run that broke, a warning for every
// inconclusive one, and a notice with the totals. GitHub shows ten of a level, so the tenth names all the rest.
func Annotations(w io.Writer, r model.Report) error {
	byOutcome := make(map[verdict.Outcome][]workflow.Annotation)
	for _, s := range r.Scenarios {
		level := "error"
		if s.Outcome == verdict.Inconclusive {
			level = "warning"
		}
		because := phrase.Cut(s.Brief(), becauseLimit)
		if s.Diagnostics != "" {
			because += " (see " + s.Diagnostics + ")"
		}
		if text := remedy(s); text != "" {
			because += "; " + text
		}
		byOutcome[s.Outcome] = append(byOutcome[s.Outcome],
			workflow.Annotation{Level: level, Title: fmt.Sprintf("%s/%s on %s: %s", s.Suite, s.ID, s.Mode, s.Outcome), Text: because})
	}
	failed := byOutcome[verdict.Fail]
	if broken := strings.Join(r.Run.Broken, "; "); broken != "" {
		failed = append([]workflow.Annotation{{Level: "error", Title: "the run broke", Text: phrase.Cut(broken, becauseLimit)}}, failed...)
	}
	var b bytes.Buffer
	for _, level := range [][]workflow.Annotation{workflow.Few(failed), workflow.Few(byOutcome[verdict.Inconclusive]),
		{{Level: "notice", Title: "Rollcall " + r.Run.ID, Text: totals(r)}}} {
		for _, a := range level {
			fmt.Fprintln(&b, a)
		}
	}
	return write(w, "annotations", b.Bytes())
}

// appendSummary appends the summary to the step's file, as far as there is room: GitHub rejects the whole of a file that is too large.
func appendSummary(path string, r model.Report) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("reports: append to step summary: %w", err)
		}
	}()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	_, err = f.Write(summary(r, max(0, summaryLimit-int(info.Size()))))
	return err
}
