package commands

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/run"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/compare"
	"example.com/rollcall/reports/model"
	"example.com/rollcall/reports/page"
)

// A reporting is the reports of a run folder, collected while its recordings are judged.
type reporting struct {
	*reports.Collector
	folder string
	page   *page.Page
}

// reportsOf returns the reporter of a run folder.
func reportsOf(folder string) run.Reporter { return newReporting(folder) }

func newReporting(folder string) reporting {
	index := page.New(folder)
	return reporting{reports.Collect(folder, index), folder, index}
}

// A suiteReporting also adds the run to the history.
type suiteReporting struct{ reporting }

// reportsOfSuites returns the reporter of a run of suites.
func reportsOfSuites(folder string) run.Reporter { return suiteReporting{newReporting(folder)} }

func (r suiteReporting) Report(out io.Writer, root string) (code int, err error) {
	code, err = r.reporting.Report(out, root)
	if unadded := appendHistory(root, r.folder); unadded != nil {
		fmt.Fprintln(os.Stderr, unadded) // the run is complete without it
	}
	return code, err
}

// Report writes the reports of the run folder, which is in root, points root/latest at it, prints the report and returns the exit code of
// its verdicts. It judges recordings that were not judged before. If the disk has no space for the files, the error says so in one line.
func (r reporting) Report(out io.Writer, root string) (code int, err error) {
	folder := r.folder
	report, page, unwritten := r.write()
	if page == "" {
		return model.ExitCode(report), unwritten
	}
	if err := run.Link(root, "latest", folder); err != nil {
		fmt.Fprintln(os.Stderr, err) // the run is complete without it
	}
	fmt.Fprintln(out)
	printed := reports.Terminal(out, report)
	if report.JudgedAgain != "" {
		fmt.Fprintln(out, report.JudgedAgain)
	}
	sayCutShort(out, report)
	fmt.Fprintf(out, "\nrun folder: %s\n", folder)
	if unwritten != nil {
		return model.ExitCode(report), errors.Join(noFiles(folder, report, unwritten), printed, reports.GitHub(out, os.Getenv, report))
	}
	fmt.Fprintf(out, "page:       %s\n", filepath.Join(folder, page))
	for _, s := range report.Scenarios {
		if s.Patch != nil {
			file := filepath.Join(folder, filepath.FromSlash(s.Evidence), reports.PatchFile)
			fmt.Fprintf(out, "patch:      %s\n", file)
			if command := patchCommand(*s.Patch, file); command != "" {
				fmt.Fprintf(out, "apply it:   %s\n", command)
			}
		}
	}
	return model.ExitCode(report), errors.Join(printed, reports.GitHub(out, os.Getenv, report))
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

// write writes the reports of the run folder. It returns the report and the file name of the page, which is empty if there is no report.
func (r reporting) write() (report model.Report, name string, err error) {
	if report, err = r.Collector.Report(); err != nil {
		return report, "", err
	}
	return report, r.page.File().Name, reports.WriteFolder(r.folder, report, r.page.File())
}

// appendHistory adds the run to the history of all runs in root, which tells trend and compare what is usual: not one of maintenance.
func appendHistory(root, folder string) error {
	_, added, err := compare.AppendHistory(filepath.Join(root, compare.HistoryFile), []string{folder})
	return errors.Join(append(added.Bad, err)...)
}
