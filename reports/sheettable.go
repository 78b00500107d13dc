package reports

import (
	"strings"

	"example.com/rollcall/harness/verdict/phrase"
)

// Row is a line of a table in SheetMarkdown; its cells are SheetMarkdown.
func Row(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |\n" }

// Head is the first two lines of a table in SheetMarkdown: the names of its columns.
func Head(cells ...string) string {
	return Row(cells...) + strings.Repeat("|---", len(cells)) + "|\n"
}

func escaped(cells []string) []string {
	all := make([]string, len(cells))
	for i, cell := range cells {
		all[i] = Escape(cell)
	}
	return all
}

// Escape makes recorded text one line that SheetMarkdown shows as it is.
func Escape(text string) string {
	return strings.NewReplacer(
		"&", "&amp;", "<", "&lt;", ">", "&gt;", "|", `\|`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, `\`, `\\`,
	).Replace(phrase.Printable(text))
}
