package reports_test

import (
	"strings"
	"testing"

	"example.com/rollcall/reports"
	"example.com/rollcall/reports/model"
)

// A run that broke must not look complete in any format, even if all it recorded passed.
func TestARunThatBrokeSaysSoEverywhere(t *testing.T) {
	r := model.Report{Summary: model.Summary{Pass: 1}, Run: model.Run{Broken: []string{"nftables: <no> cluster"}}}
	for name, format := range map[string]struct {
		write reports.Writer
		want  string
	}{
		"report.json": {reports.JSON, `"broken": [`},
		"junit.xml":   {reports.JUnit, `errors="1"`},
		"summary.md":  {reports.Markdown, "the run broke: nftables"},
		"terminal":    {reports.Terminal, "the run broke: nftables: <no> cluster"},
		"metrics":     {reports.Metrics, "\nrollcall_run_exit_code 3\n"},
		"annotations": {reports.Annotations, "::error title=the run broke::nftables: <no> cluster\n"},
	} {
		if text := printed(t, format.write, r); !strings.Contains(text, format.want) {
			t.Errorf("%s lacks %q:\n%s", name, format.want, text)
		}
	}
}
