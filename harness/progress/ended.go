package progress

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"example.com/rollcall/harness/verdict/phrase"
)

// Brief returns why a scenario ended as it did, in one printable line; a short one if it passed.
func (e Ended) Brief() string {
	if e.Outcome == "pass" {
		return phrase.Headline(e.Headline, e.Because)
	}
	return phrase.Printable(cmp.Or(e.Headline, e.Because))
}

// Alike groups scenarios in a row that were skipped in one mode for one reason; every other scenario is a group of its own.
func Alike(ended []Ended) (groups [][]Ended) {
	for len(ended) > 0 {
		first, n := ended[0], 1
		for n < len(ended) && ended[n].Outcome == "skipped" && first.Outcome == "skipped" && ended[n].Mode == first.Mode &&
			ended[n].Because == first.Because {
			n++
		}
		groups, ended = append(groups, ended[:n]), ended[n:]
	}
	return groups
}

// endedWidth is the width of the lines about a scenario that ended, in characters.
const endedWidth = 120

// lines returns the lines about a scenario, or about n alike: one if it passed, and below that of any other the facts about it.
func (e Ended) lines(n int) []string {
	outcome := strings.ToUpper(e.Outcome)
	if e.Outcome == "skipped" {
		outcome = "SKIP" // as go test has it
	}
	line := fmt.Sprintf("%s %.1fs %s/%s (%s):", outcome, e.Seconds, e.Suite, e.Scenario, e.Mode)
	if n > 1 {
		line = fmt.Sprintf("%s %d scenarios (%s):", outcome, n, e.Mode)
	}
	headline := e.Brief()
	room := endedWidth - utf8.RuneCountInString(line+" ")
	if e.Outcome == "pass" {
		what, follows, two := strings.Cut(headline, "; ")
		if two && utf8.RuneCountInString(headline) > room {
			return []string{line + " " + phrase.Cut(what, room), "    " + phrase.Cut(follows, endedWidth-4)}
		}
		return []string{line + " " + phrase.Cut(headline, room)}
	}
	lines := []string{line}
	details := e.Facts
	if utf8.RuneCountInString(headline) <= room {
		lines[0] += " " + headline
	} else {
		details = append([]string{headline}, details...)
	}
	for _, detail := range details {
		for i, part := range phrase.Wrap(phrase.Printable(detail), endedWidth-6) {
			indent := "    "
			if i > 0 {
				indent += "  "
			}
			lines = append(lines, indent+part)
		}
	}
	return lines
}
