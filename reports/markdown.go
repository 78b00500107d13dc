package reports

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"rollcall/harness/verdict"
)

// Markdown writes summary.md: totals, a table, and the reason for every outcome but pass.
func Markdown(w io.Writer, r Report) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Rollcall %s\n\n%s\n\n", escape(r.Run.ID), escape(totals(r)))
	for i, s := range append([]Scenario{{}}, r.Scenarios...) {
		cells := newRow(s)
		if i == 0 {
			cells = columns()
		}
		for _, cell := range cells {
			fmt.Fprintf(&b, "| %s ", escape(cell))
		}
		fmt.Fprintln(&b, "|")
		if i == 0 {
			fmt.Fprintln(&b, strings.Repeat("|---", len(cells))+"|")
		}
	}
	title := "\n## Not passed\n\n"
	for _, s := range r.Scenarios {
		if s.Outcome != verdict.Pass {
			fmt.Fprintf(&b, "%s- **%s** %s/%s on %s: %s\n", title, s.Outcome, escape(s.Suite), escape(s.ID), escape(s.Mode), escape(s.Because))
			title = ""
		}
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("reports: write markdown: %w", err)
	}
	return nil
}

// escape makes recorded text one line that Markdown shows as it is.
func escape(s string) string {
	return strings.NewReplacer(
		"&", "&amp;", "<", "&lt;", ">", "&gt;", "|", `\|`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, `\`, `\\`,
	).Replace(oneLine(s))
}
