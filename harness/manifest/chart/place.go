package chart

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/verdict/phrase"
)

// file returns the file that a template, or another file of a chart, was read from: Helm's names of them begin with that of the chart.
// One in an archive is below the name of the archive.
func (c Chart) file(r release, name string) string {
	below := strings.Split(strings.TrimPrefix(name, r.Name()+"/"), "/")
	if info, err := os.Stat(c.Path); err != nil || !info.IsDir() || len(below) < 2 || below[0] != "charts" {
		return filepath.Join(c.Path, filepath.Join(below...))
	}
	if is, other := r.aliases[below[1]]; other {
		below[1] = is
	}
	folder := filepath.Join(c.Path, "charts", below[1])
	if archives, _ := filepath.Glob(folder + "-*.tgz"); !Is(folder) && len(archives) == 1 {
		folder = archives[0]
	}
	return filepath.Join(folder, filepath.Join(below[2:]...))
}

// Errors of Helm's engine name the place first: parse error at (web/templates/app.yaml:5): ..., or with a line for each template that
// includes the next, or as text/template does: template: web/templates/app.yaml:5:3: executing "web/templates/app.yaml" at <.Values.x>: ...
var (
	bracketed = regexp.MustCompile(`^(?:parse|execution) error (?:at|in) \(([^)\s]+)\): `)
	executing = regexp.MustCompile(`(?:template: )?([^\s:]+:\d+):\d+:?\s+executing ".*?" at <(.*?)>:\s+`)
	calling   = regexp.MustCompile(`^error (?:calling|during) [^:]*: `)
	placed    = regexp.MustCompile(`^([^\s:]+):(\d+)(?::\d+)?$`)
)

// broken returns the error about a template that does not render: its file and line, and why.
func (c Chart) broken(r release, err error) error {
	place, reason := "", err.Error()
	if found := bracketed.FindStringSubmatch(reason); found != nil {
		place, reason = found[1], reason[len(found[0]):]
	} else if all := executing.FindAllStringSubmatchIndex(reason, -1); all != nil {
		last := all[len(all)-1] // where it is wrong
		for _, at := range all {
			if name := reason[at[2]:at[3]]; strings.Contains(name, "/") { // others are texts that function tpl got
				place = name
			}
		}
		reason = reason[last[4]:last[5]] + ": " + calling.ReplaceAllString(reason[last[1]:], "")
	}
	if at := placed.FindStringSubmatch(place); at != nil {
		reason = fmt.Sprintf("%s:%s: %s", c.file(r, at[1]), at[2], reason)
	}
	return usage.New(c.thing(), phrase.Printable(reason), "fix the template, or give it values: --values=FILE")
}
