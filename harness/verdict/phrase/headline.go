package phrase

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxHeadline is how many characters a headline has, at most.
const MaxHeadline = 120

// Headline returns the first wording that fits a headline. Wordings are given most telling first; empty ones are ignored. If none fits, it
// returns the last one, without its list of sequence numbers and cut between two words.
func Headline(wordings ...string) string {
	var line string
	for _, wording := range wordings {
		if wording == "" {
			continue
		}
		if line = Printable(wording); utf8.RuneCountInString(line) <= MaxHeadline && line == withoutSeqs(line) {
			return line
		}
	}
	return Cut(withoutSeqs(line), MaxHeadline)
}

// withoutSeqs cuts a line before a list of sequence numbers.
func withoutSeqs(line string) string {
	for _, list := range []string{": seq ", ", seq ", " seq "} {
		line, _, _ = strings.Cut(line, list)
	}
	return line
}

// Cut shortens a line to at most so many characters, between two words if it can, and appends an ellipsis.
func Cut(line string, most int) string {
	if utf8.RuneCountInString(line) <= most {
		return line
	}
	short := string([]rune(line)[:most])
	if i := strings.LastIndexByte(short, ' '); i > len(short)/2 {
		short = short[:i]
	} else {
		short = string([]rune(short)[:most-1])
	}
	return strings.TrimRight(short, " ,;:(") + "…"
}

// Printable turns recorded text into one line that is safe to print: it replaces every run of white space by one space, and drops
// control characters, which a terminal might obey.
func Printable(text string) string {
	visible := strings.Map(func(r rune) rune {
		if !unicode.IsSpace(r) && !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, text)
	return strings.Join(strings.Fields(visible), " ")
}

// PrintableLines makes a text of several lines safe to print, and leaves its lines and their indentation.
func PrintableLines(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, text)
}
