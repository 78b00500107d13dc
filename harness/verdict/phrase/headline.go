package phrase

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxHeadline is how many characters a headline has at most.
const MaxHeadline = 120

// Headline is the first of some wordings that fits a headline, the most telling one first and empty ones left out. Else it is
// the last one, without the sequence numbers it lists and cut between two words.
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

// withoutSeqs leaves out everything from a list of sequence numbers on.
func withoutSeqs(line string) string {
	for _, list := range []string{": seq ", ", seq ", " seq "} {
		line, _, _ = strings.Cut(line, list)
	}
	return line
}

// Cut shortens a line to so many characters, between two words where it can; an ellipsis shows it.
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

// Printable makes recorded text one line that is safe to print: every run of white space is one space, and control characters,
// which a terminal might obey, are dropped.
func Printable(text string) string {
	visible := strings.Map(func(r rune) rune {
		if !unicode.IsSpace(r) && !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, text)
	return strings.Join(strings.Fields(visible), " ")
}
