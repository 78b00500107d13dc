package reports_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.com/rollcall/reports"
	"example.com/rollcall/reports/model"
)

func TestAReportIsReadAsItWasWritten(t *testing.T) {
	dir := runFolder(t)
	want, err := reports.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := reports.WriteFolder(dir, want); err != nil {
		t.Fatal(err)
	}
	got, err := reports.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := cmpopts.IgnoreFields(model.Scenario{}, "Files", "Claims") // not in report.json
	if diff := cmp.Diff(want, got, files); diff != "" {
		t.Errorf("(-written +read):\n%s", diff)
	}
}

func TestOnlyAReportIsRead(t *testing.T) {
	for _, row := range []struct{ sentence, data, want string }{
		{"half a report", `{"apiVersion":"rollcall/v1alpha1","kind":"Conf`, "judge the run again: rollcall report "},
		{"a report by a newer build", `{"apiVersion":"rollcall/v2","kind":"ConformanceReport","run":{}}`,
			`it is "rollcall/v2", this build reads rollcall/v1alpha1: use a newer Rollcall`},
		{"a newer build's, with a field of another type",
			`{"apiVersion":"rollcall/v2","kind":"ConformanceReport","run":7}`, "use a newer Rollcall"},
		{"an empty object", `{}`, "it is not a report"},
		{"something else", `{"apiVersion":"v1","kind":"Pod","run":{}}`, `its kind is "Pod", not ConformanceReport`},
		{"an outcome of the future", `{"apiVersion":"rollcall/v1alpha1","kind":"ConformanceReport","run":{},"scenarios":[{"outcome":"grand"}]}`,
			`outcome: "grand" is unknown`},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, reports.ReportFile), []byte(row.data), 0o644); err != nil {
				t.Fatal(err)
			}
			_, err := reports.Read(dir)
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("error %v, want %q", err, row.want)
			}
			if err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("the error has several lines: %v", err)
			}
		})
	}
	if _, err := reports.Read(t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder without a report: %v", err)
	}
}
