package conformance

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/compare"
	"example.com/rollcall/reports/model"
	"example.com/rollcall/reports/page"
)

// Report judges the recordings of a run folder in root, writes its reports, points root/latest at it and prints the report. If the disk has
// no space for the files, the error says so in one line.
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
	sayCutShort(out, report)
	fmt.Fprintf(out, "\nrun folder: %s\n", folder)
	if unwritten != nil {
		return report, errors.Join(noFiles(folder, report, unwritten), printed, reports.GitHub(out, os.Getenv, report))
	}
	fmt.Fprintf(out, "page:       %s\n", filepath.Join(folder, page))
	for _, s := range report.Scenarios {
		if s.Patch != nil {
			fmt.Fprintf(out, "patch:      %s\n", filepath.Join(folder, filepath.FromSlash(s.Evidence), reports.PatchFile))
		}
	}
	return report, errors.Join(printed, reports.GitHub(out, os.Getenv, report))
}

// sayCutShort says of a claim that failed in a recording which ended early, such as on a full disk, that both is so: the exit code has only
// one of them.
func sayCutShort(out io.Writer, report model.Report) {
	for _, s := range report.Scenarios {
		for _, d := range s.Distrust {
			if s.Outcome != verdict.Fail || d.ID != evidence.StageFailed {
				continue
			}
			text := fmt.Sprintf("%s failed, and its recording ended early: %s; what it recorded before decides the exit code", s.Name(), d.Because)
			fmt.Fprintln(out, strings.Join(phrase.Wrap(phrase.Printable(text), lineWidth), "\n    "))
		}
	}
}

const lineWidth = 116 // of a line, which may be indented by 4

// noFiles is the error of reports that could not be written.
func noFiles(folder string, report model.Report, unwritten error) error {
	what := "has none or not all of its report's files, and only the terminal has the report"
	if report.Summary.Fail > 0 {
		what += ", in which a claim failed"
	}
	remedy := "mend that"
	if errors.Is(unwritten, syscall.ENOSPC) {
		remedy = "free some space"
	}
	return fmt.Errorf("run folder %s %s: %s: %s, then: rollcall report %[1]s", folder, what, usage.OneLine(unwritten), remedy)
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
