// Package findings writes what a reading of manifests found, for a person, a script, or the page of a pull request.
package findings

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/reports/model"
)

// A Finding is one at its place.
type Finding struct {
	model.Finding
	Object string `json:"object"`           // such as Deployment shop/web
	File   string `json:"file"`             // as it was named
	Line   int    `json:"line"`             // from 1
	Tell   string `json:"tell,omitempty"`   // the command whose load answers a question
	Reason string `json:"reason,omitempty"` // why it is ignored
}

// A Result is all that was found.
type Result struct {
	Objects   int       `json:"objects"` // that were read
	Certain   []Finding `json:"certain"`
	Questions []Finding `json:"questions"`
	Ignored   []Finding `json:"ignored"`
}

// Levels of a result at which a check fails.
const (
	FailOnCertain  = "certain"
	FailOnQuestion = "question"
	FailNever      = "never"
)

// Fails reports whether a result has a finding at a level or above.
func (r Result) Fails(level string) bool {
	return level != FailNever && len(r.Certain) > 0 || level == FailOnQuestion && len(r.Questions) > 0
}

// Sorted returns the result with each list by file, line and code, and without findings that are there twice.
func (r Result) Sorted() Result {
	for _, list := range []*[]Finding{&r.Certain, &r.Questions, &r.Ignored} {
		slices.SortStableFunc(*list, func(a, b Finding) int {
			return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Object, b.Object))
		})
		*list = slices.CompactFunc(*list, func(a, b Finding) bool {
			return a.File == b.File && a.Line == b.Line && a.Code == b.Code && a.Object == b.Object && a.Says == b.Says
		})
	}
	return r
}

// Counts returns the totals in words.
func (r Result) Counts() string {
	said := fmt.Sprintf("%s certain, %s", phrase.Number(len(r.Certain)), phrase.Count(len(r.Questions), "question"))
	if len(r.Ignored) > 0 {
		said += fmt.Sprintf(", %s ignored", phrase.Number(len(r.Ignored)))
	}
	return said + " in " + phrase.Count(r.Objects, "object")
}

// lineWidth is the most columns of a line for a person.
const lineWidth = 118

// Text writes a result for a person.
func Text(w io.Writer, r Result) error {
	var b strings.Builder
	for _, part := range []struct {
		title string
		list  []Finding
		asks  bool
	}{
		{"Certain:", r.Certain, false},
		{"Questions, which only load can answer:", r.Questions, true},
		{"Ignored:", r.Ignored, false},
	} {
		if len(part.list) == 0 {
			continue
		}
		fmt.Fprintln(&b, part.title)
		for _, f := range part.list {
			f.write(&b)
		}
		if part.asks {
			writeCommands(&b, part.list)
		}
		fmt.Fprintln(&b)
	}
	fmt.Fprintln(&b, r.Counts())
	_, err := io.WriteString(w, b.String())
	return err
}

func (f Finding) write(b *strings.Builder) {
	fmt.Fprintf(b, "  %s:%d: %s: %s %s\n", f.File, f.Line, f.Object, f.Code, f.ID)
	if f.Reason != "" {
		wrapped(b, "    ", "because "+f.Reason)
		return
	}
	wrapped(b, "    ", phrase.Capital(f.Says)+".")
	wrapped(b, "    ", phrase.Capital(f.ends()))
	for line := range strings.Lines(f.Patch) {
		b.WriteString("      " + line)
	}
}

// ends returns what to do, or the question, with its last mark.
func (f Finding) ends() string {
	if strings.HasSuffix(f.Do, "?") {
		return f.Do
	}
	return f.Do + "."
}

// writeCommands writes the commands whose load answers questions, each once.
func writeCommands(b *strings.Builder, questions []Finding) {
	codes, order := map[string][]string{}, []string(nil)
	for _, f := range questions {
		if codes[f.Tell] == nil && f.Tell != "" {
			order = append(order, f.Tell)
		}
		if !slices.Contains(codes[f.Tell], f.Code) {
			codes[f.Tell] = append(codes[f.Tell], f.Code)
		}
	}
	for _, command := range order {
		slices.Sort(codes[command])
		fmt.Fprintf(b, "  This answers %s:\n    %s\n", strings.Join(codes[command], ", "), command)
	}
}

func wrapped(b *strings.Builder, indent, text string) {
	for _, line := range phrase.Wrap(phrase.Printable(text), lineWidth-len(indent)) {
		fmt.Fprintln(b, indent+line)
	}
}
