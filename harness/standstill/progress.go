package standstill

import (
	"unicode/utf8"

	"example.com/rollcall/harness/verdict/phrase"
)

// columns is how wide output is, at most.
const columns = 120

// indent begins lines that belong to the one above.
const indent = "    "

// Progress returns a line of output about a wait, with obstacles, of which empty ones are left out: behind it if that fits one line, else
// each in a line below, whose end may be cut.
func Progress(line string, why ...Obstacle) string {
	var said []string
	for _, o := range why {
		if text := o.String(); text != "" {
			said = append(said, text)
		}
	}
	if len(said) == 1 {
		if whole := line + ": " + said[0]; utf8.RuneCountInString(whole) <= columns {
			return whole
		}
	}
	for _, text := range said {
		line += "\n" + indent + phrase.Cut(text, columns-len(indent))
	}
	return line
}
