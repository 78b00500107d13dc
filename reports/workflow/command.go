// Package workflow writes commands for the GitHub workflow that runs this process (docs.github.com, Workflow commands for GitHub Actions).
package workflow

import (
	"fmt"
	"strings"

	"example.com/rollcall/harness/verdict/phrase"
)

// Limit is how many annotations of one level GitHub shows for a step.
const Limit = 10

// textLimit is how many characters a list of titles may have.
const textLimit = 2000

// An Annotation is one workflow command.
type Annotation struct {
	Level string // error, warning or notice
	Title string
	File  string // with a line, where it is shown; empty: at the step
	Line  int
	Text  string
}

// String returns the command, in one line.
func (a Annotation) String() string {
	at := ""
	if a.File != "" {
		at = fmt.Sprintf("file=%s,line=%d,", property(a.File), a.Line)
	}
	return fmt.Sprintf("::%s %stitle=%s::%s", a.Level, at, property(a.Title), text(a.Text))
}

// Few cuts annotations of one level to as many as GitHub shows; the last then names the rest.
func Few(all []Annotation) []Annotation {
	if len(all) <= Limit {
		return all
	}
	shown, rest := all[:Limit-1:Limit-1], all[Limit-1:]
	var titles []string
	for _, a := range rest {
		titles = append(titles, a.Title)
	}
	names := phrase.Cut(strings.Join(titles, "; "), textLimit)
	return append(shown, Annotation{Level: rest[0].Level, Title: fmt.Sprintf("and %d more", len(rest)), Text: names})
}

// text escapes the text of a command.
func text(said string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(phrase.Printable(said))
}

// property escapes the value of a property, which ends at a colon or a comma.
func property(said string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(text(said))
}
