package sheet

import "strings"

// Row is a line of a table in Markdown; its cells are Markdown.
func Row(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |\n" }

// Head is the first two lines of a table in Markdown: the names of its columns.
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
