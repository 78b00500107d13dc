package sheet

import (
	"strings"

	"rollcall/harness/verdict/phrase"
)

// Escape makes recorded text one line that Markdown shows as it is.
func Escape(text string) string {
	return strings.NewReplacer(
		"&", "&amp;", "<", "&lt;", ">", "&gt;", "|", `\|`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, `\`, `\\`,
	).Replace(phrase.Printable(text))
}
