package findings

import (
	"fmt"
	"io"
	"strings"

	"example.com/rollcall/harness/verdict/phrase"
)

// Markdown writes a result for the summary of a job, or a comment on a pull request. Questions are folded, as HTML details.
func Markdown(w io.Writer, r Result) error {
	var b strings.Builder
	fmt.Fprintf(&b, "**rollcall check**: %s.\n", r.Counts())
	for _, f := range r.Certain {
		fmt.Fprintf(&b, "\n`%s:%d` %s: **%s** (%s)\n\n%s\n", f.File, f.Line, escaped(f.Object), f.ID, f.Code, escaped(f.message()))
		if f.Patch != "" {
			fmt.Fprintf(&b, "\n```yaml\n%s```\n", f.Patch)
		}
	}
	if len(r.Questions) > 0 {
		fmt.Fprintf(&b, "\n<details><summary>%s that only load can answer</summary>\n\n", phrase.Count(len(r.Questions), "question"))
		for _, f := range r.Questions {
			fmt.Fprintf(&b, "- `%s:%d` %s: %s (%s)\n", f.File, f.Line, escaped(f.Object), escaped(phrase.Capital(f.Says)+". "+phrase.Capital(f.ends())), f.Code)
		}
		b.WriteString("\n</details>\n")
	}
	for _, f := range r.Ignored {
		fmt.Fprintf(&b, "\nIgnored: %s of %s, because %s\n", f.Code, escaped(f.Object), escaped(f.Reason))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// escaped returns text from manifests as Markdown shows it as it is.
func escaped(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "`", "\\`", "*", "\\*", "_", "\\_", "[", "\\[", "|", "\\|", "@", "&#64;").Replace(phrase.Printable(text))
}
