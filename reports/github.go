package reports

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/reports/model"
)

// annotationLimit is how many annotations of one level GitHub shows for a step.
const annotationLimit = 10

// GitHub reports r to the GitHub workflow that runs this process, if getenv, such as os.Getenv, says that one does. It writes annotations
// to w, which has to be the step's output, and appends the summary to the step's, as far as that has room.
func GitHub(w io.Writer, getenv func(string) string, r model.Report) error {
	var told error
	if getenv("GITHUB_ACTIONS") == "true" {
		told = Annotations(w, r)
	}
	if path := getenv("GITHUB_STEP_SUMMARY"); path != "" {
		told = errors.Join(told, appendSummary(path, r))
	}
	return told
}

// An annotation is one workflow command; its level is error, warning or notice.
type annotation struct{ level, title, text string }

// Annotations writes r as workflow commands: an error for every scenario that failed and for a run that broke, a warning for every
// inconclusive one, and a notice with the totals. GitHub shows ten of a level, so the tenth names all the rest.
func Annotations(w io.Writer, r model.Report) error {
	byOutcome := make(map[verdict.Outcome][]annotation)
	for _, s := range r.Scenarios {
		level := "error"
		if s.Outcome == verdict.Inconclusive {
			level = "warning"
		}
		because := phrase.Cut(s.Brief(), becauseLimit)
		if s.Diagnostics != "" {
			because += " (see " + s.Diagnostics + ")"
		}
		if text := remedy(s); text != "" {
			because += "; " + text
		}
		byOutcome[s.Outcome] = append(byOutcome[s.Outcome],
			annotation{level, fmt.Sprintf("%s/%s on %s: %s", s.Suite, s.ID, s.Mode, s.Outcome), because})
	}
	failed := byOutcome[verdict.Fail]
	if broken := strings.Join(r.Run.Broken, "; "); broken != "" {
		failed = append([]annotation{{"error", "the run broke", phrase.Cut(broken, becauseLimit)}}, failed...)
	}
	var b bytes.Buffer
	for _, level := range [][]annotation{few(failed), few(byOutcome[verdict.Inconclusive]), {{"notice", "Rollcall " + r.Run.ID, totals(r)}}} {
		for _, a := range level {
			fmt.Fprintf(&b, "::%s title=%s::%s\n", a.level, property(a.title), commandText(a.text))
		}
	}
	return write(w, "annotations", b.Bytes())
}

// few cuts the annotations of one level to as many as GitHub shows; the last then names the rest.
func few(all []annotation) []annotation {
	if len(all) <= annotationLimit {
		return all
	}
	shown, rest := all[:annotationLimit-1:annotationLimit-1], all[annotationLimit-1:]
	var titles []string
	for _, a := range rest {
		titles = append(titles, a.title)
	}
	names := phrase.Cut(strings.Join(titles, "; "), becauseLimit)
	return append(shown, annotation{rest[0].level, fmt.Sprintf("and %d more", len(rest)), names})
}

// commandText escapes text for a workflow command.
func commandText(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(phrase.Printable(text))
}

// property escapes text for a property of a workflow command, which ends at a colon or a comma.
func property(text string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(commandText(text))
}

// appendSummary appends the summary to the step's file, as far as there is room: GitHub rejects the whole of a file that is too large.
func appendSummary(path string, r model.Report) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("reports: append to step summary: %w", err)
		}
	}()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	_, err = f.Write(summary(r, max(0, summaryLimit-int(info.Size()))))
	return err
}
