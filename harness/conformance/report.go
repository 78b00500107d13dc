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

// Report judges the recordings of a run folder in root, writes its reports, points root/latest at it and prints the report, even if the
// disk has no space for the files.
func Report(out io.Writer, root, folder string) (model.Report, error) {
	report, page, unwritten := write(folder)
	if page == "" {
		return report, unwritten
	}
	if err := Link(root, "latest", folder); err != nil {
		fmt.Fprintln(os.Stderr, err) // the run is complete without it
	}
	fmt.Fprintln(out)
	printed := reports.Terminal(out, report)
	fmt.Fprintf(out, "\nrun folder: %s\npage:       %s\n", folder, filepath.Join(folder, page))
	for _, s := range report.Scenarios {
		if s.Patch != nil {
			fmt.Fprintf(out, "patch:      %s\n", filepath.Join(folder, filepath.FromSlash(s.Evidence), reports.PatchFile))
		}
	}
	return report, errors.Join(unwritten, printed, reports.GitHub(out, os.Getenv, report))
}

// write judges the recordings of a run folder and writes its reports. It returns the report and the file name of the page, which is empty
// if they could not be judged.
func write(folder string) (report model.Report, name string, err error) {
	index := page.New(folder)
	if report, err = reports.LoadWith(folder, index); err != nil {
		return report, "", err
	}
	return report, index.File().Name, reports.WriteFolder(folder, report, index.File())
}

// appendHistory adds the run to the history of all runs in root, which tells trend and compare what is usual: not one of maintenance.
func appendHistory(root, folder string) error {
	_, added, err := compare.AppendHistory(filepath.Join(root, compare.HistoryFile), []string{folder})
	return errors.Join(append(added.Bad, err)...)
}

// Link makes name, in root, a symbolic link to a run folder, and replaces the one before.
func Link(root, name, folder string) error {
	path := filepath.Join(root, name)
	_ = os.Remove(path) // a folder of that name, such as a copy, stays: then there can be no link
	return os.Symlink(filepath.Base(folder), path)
}
