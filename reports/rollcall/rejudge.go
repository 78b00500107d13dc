package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"rollcall/reports"
	"rollcall/reports/model"
)

// rejudge says what today's rules change about a report, and ends with the code of today.
func rejudge(w io.Writer, dir string) error {
	now, err := reports.Load(dir)
	if err != nil {
		return err
	}
	changed, err := readReport(dir)
	if err != nil {
		return fmt.Errorf("rollcall: report --dry-run %s: %w: to write it: rollcall report %s", dir, err, dir)
	}
	if err := changed(w, now); err != nil {
		return infrastructure(err)
	}
	return exitCode(model.ExitCode(now))
}

func readReport(dir string) (reports.Writer, error) {
	then, err := os.ReadFile(filepath.Join(dir, "report.json"))
	if err != nil {
		return nil, err
	}
	return reports.Since(then)
}
