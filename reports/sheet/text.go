package sheet

import (
	"strings"
	"unicode"
)

// Printable makes recorded text one line that is safe to print: every run of white space is one space, and control
// characters, which a terminal might obey, are dropped.
func Printable(text string) string {
	visible := strings.Map(func(r rune) rune {
		if !unicode.IsSpace(r) && !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, text)
	return strings.Join(strings.Fields(visible), " ")
}

// Escape makes recorded text one line that Markdown shows as it is.
func Escape(text string) string {
	return strings.NewReplacer(
		"&", "&amp;", "<", "&lt;", ">", "&gt;", "|", `\|`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, `\`, `\\`,
	).Replace(Printable(text))
}
