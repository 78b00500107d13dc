package commands

import (
	"io"
	"os"
	"path/filepath"

	"example.com/rollcall/harness/usage"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/model"
)

// rejudge prints what the rules of this build change in a report, and ends with the exit code of the new one.
func rejudge(w io.Writer, dir string) error {
	now, err := reports.Rejudge(dir)
	if err != nil {
		return err
	}
	changed := ""
	then, err := os.ReadFile(filepath.Join(dir, reports.ReportFile))
	if err == nil {
		changed, err = reports.Since(then, now)
	}
	if err != nil {
		return usage.New(dir, usage.OneLine(err), "write it anew: rollcall report "+dir)
	}
	if _, err := io.WriteString(w, changed); err != nil {
		return infrastructure(err)
	}
	return exitCode(model.ExitCode(now))
}
