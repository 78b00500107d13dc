package reports

import (
	"strings"

	"example.com/rollcall/harness/verdict/phrase"
)

// Row returns a row of a Markdown table; its cells are Markdown.
func Row(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |\n" }

// Head returns the first two lines of a Markdown table: the names of its columns, and the line below them.
func Head(cells ...string) string {
	return Row(cells...) + strings.Repeat("|---", len(cells)) + "|\n"
}

func escaped(cells []string) []string { return mapped(cells, Escape) }

func mapped(cells []string, form func(string) string) []string {
	all := make([]string, len(cells))
	for i, cell := range cells {
		all[i] = form(cell)
	}
	return all
}

// Escape makes recorded text one line that Markdown shows as it is.
func Escape(text string) string {
	return strings.NewReplacer(
		"&", "&amp;", "<", "&lt;", ">", "&gt;", "|", `\|`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, `\`, `\\`,
	).Replace(phrase.Printable(text))
}
