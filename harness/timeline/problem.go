package timeline

import (
	"fmt"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A Problem is one way in which a recording contradicts itself, or is not whole.
type Problem struct {
	File   string         // of the recording
	Scope  evidence.Scope // what of the recording cannot be trusted for it
	Damage bool           // a part of the file could not be read
	Text   string         // one sentence, which begins with the file
}

// problem returns a problem of a whole file.
func problem(file, format string, values ...any) Problem {
	return Problem{File: file, Scope: scopeOf(file), Text: file + ": " + fmt.Sprintf(format, values...)}
}

// damage returns the problem that a part of a file could not be read.
func damage(d evidence.Damage) Problem {
	return Problem{File: d.File, Scope: scopeOf(d.File), Damage: true, Text: d.Text}
}

// scopeOf returns what a file of a recording is the only source of; everything, for a file that describes the others.
func scopeOf(file string) evidence.Scope {
	about := evidence.Subjects()
	switch file {
	case evidence.HitsFile:
		about = evidence.Requests()
	case evidence.FlowsFile, evidence.ConnectionsFile:
		about = []evidence.Subject{evidence.AboutReplies}
	case evidence.ArrivalsFile:
		about = []evidence.Subject{evidence.AboutArrivals}
	case evidence.EventsFile:
		about = []evidence.Subject{evidence.AboutAPI, evidence.AboutMarks, evidence.AboutNodeRules, evidence.AboutPodSteps, evidence.AboutFacts}
	}
	return evidence.Scope{Missed: about, Doubted: about}
}

// eventProblems returns a problem for each line of the events file that cannot be right.
func eventProblems(noted []evidence.Event) (found []Problem) {
	seen := make(map[evidence.EventKind]bool)
	for i, e := range noted {
		if e.At < 0 && e.Clock == "" {
			found = append(found, problem(evidence.EventsFile, "line %d: %s is %s before the run began", i+1, e.Kind, -e.At))
		}
		if IsMark(e.Kind) && seen[e.Kind] {
			found = append(found, problem(evidence.EventsFile, "line %d: mark %s was set before", i+1, e.Kind))
		}
		seen[e.Kind] = true
	}
	return found
}

// markProblems returns a problem for each mark that comes before the mark of the phase before it.
func (t Timeline) markProblems() (found []Problem) {
	var last time.Duration
	var lastKind evidence.EventKind
	for _, kind := range t.PhaseMarks() {
		at, ok := t.Mark(kind)
		if !ok {
			continue
		}
		if lastKind != "" && at < last {
			found = append(found, problem(evidence.EventsFile, "mark %s (%s) comes before %s (%s)", kind, at, lastKind, last))
		}
		last, lastKind = at, kind
	}
	return found
}
