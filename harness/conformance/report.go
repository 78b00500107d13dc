package conformance

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"example.com/rollcall/reports"
	"example.com/rollcall/reports/compare"
	"example.com/rollcall/reports/model"
	"example.com/rollcall/reports/page"
)

// Report judges the recordings of a run folder in root, writes its reports, points root/latest at it and prints the report. It is for
// runs that are no part of the history, since they do not show what is usual.
func Report(out io.Writer, root, folder string) (model.Report, error) {
	return report(out, root, folder, false)
}

func report(out io.Writer, root, folder string, usual bool) (model.Report, error) {
	report, page, err := write(folder)
	if err != nil {
		return report, err
	}
	if usual {
		if err := appendHistory(root, folder); err != nil {
			fmt.Fprintln(os.Stderr, err) // the run is complete without it
		}
	}
	return report, publish(out, root, folder, report, page)
}

// write judges the recordings of a run folder and writes its reports. It returns the report and the file name of the page.
func write(folder string) (report model.Report, name string, err error) {
	index := page.New(folder)
	if report, err = reports.LoadWith(folder, index); err != nil {
		return report, "", err
	}
	return report, index.File().Name, reports.WriteFolder(folder, report, index.File())
}

// publish points root/latest at a run folder, and prints its report.
func publish(out io.Writer, root, folder string, report model.Report, page string) error {
	if err := Link(root, "latest", folder); err != nil {
		return err
	}
	fmt.Fprintln(out)
	if err := reports.Terminal(out, report); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nrun folder: %s\npage:       %s\n", folder, filepath.Join(folder, page))
	for _, s := range report.Scenarios {
		if s.Patch != nil {
			fmt.Fprintf(out, "patch:      %s\n", filepath.Join(folder, filepath.FromSlash(s.Evidence), reports.PatchFile))
		}
	}
	return reports.GitHub(out, os.Getenv, report)
}

// appendHistory adds the run to the history of all runs in root, which tells trend and compare what is usual.
func appendHistory(root, folder string) error {
	_, added, err := compare.AppendHistory(filepath.Join(root, compare.HistoryFile), []string{folder})
	return errors.Join(append(added.Bad, err)...)
}

// Link makes name, in root, a symbolic link to a run folder, and replaces the one before.
func Link(root, name, folder string) error {
	path := filepath.Join(root, name)
	return errors.Join(os.RemoveAll(path), os.Symlink(filepath.Base(folder), path))
}
