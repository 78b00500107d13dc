package inspect

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
)

// lineWidth is how many columns a line has, at most.
const lineWidth = 120

// say prints a text in lines that fit, indented after the first.
func say(w io.Writer, form string, args ...any) {
	for i, line := range phrase.Wrap(phrase.Printable(fmt.Sprintf(form, args...)), lineWidth-2) {
		if i > 0 {
			line = "  " + line
		}
		fmt.Fprintln(w, line)
	}
}

// facts prints names and values, those without a value left out.
func facts(w io.Writer, pairs ...[2]string) {
	const name = 14
	for _, p := range pairs {
		for i, line := range phrase.Wrap(phrase.Printable(p[1]), lineWidth-name-2) {
			title := p[0]
			if i > 0 {
				title = ""
			}
			fmt.Fprintf(w, "  %-*s%s\n", name, title, line)
		}
	}
}

// table prints rows in columns that fit.
func table(w io.Writer, rows [][]string) {
	var b strings.Builder
	aligned := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		for i := range row {
			row[i] = cmp.Or(phrase.Printable(row[i]), "-")
		}
		fmt.Fprintln(aligned, "  "+strings.Join(row, "\t"))
	}
	_ = aligned.Flush() // a strings.Builder takes everything
	for line := range strings.Lines(b.String()) {
		fmt.Fprintln(w, cut(strings.TrimRight(line, " \n")))
	}
}

// cut shortens a line to what fits. Unlike [phrase.Cut] it keeps the spaces.
func cut(line string) string {
	if runes := []rune(line); len(runes) > lineWidth {
		return string(runes[:lineWidth-1]) + "…"
	}
	return line
}

// A moment is something that was recorded, and the file that has it.
type moment struct {
	timeline.Time
	what, file string
}

// moments prints moments by time, from the zero and, if there is one, from when a request was sent.
func (r *Recording) moments(w io.Writer, of *Request, all []moment) {
	slices.SortStableFunc(all, func(a, b moment) int { return cmp.Compare(a.At, b.At) })
	zero := "since " + strings.TrimSuffix(strings.TrimPrefix(r.from, "the "), " began")
	row := func(at, sent, err, file, what string) {
		head := fmt.Sprintf("%17s  ", at)
		if of != nil {
			head += fmt.Sprintf("%13s  ", sent)
		}
		head += fmt.Sprintf("%-8s  %-16s  ", err, file)
		for i, line := range phrase.Wrap(phrase.Printable(what), lineWidth-len([]rune(head))) {
			if i > 0 {
				head = strings.Repeat(" ", len([]rune(head)))
			}
			fmt.Fprintln(w, head+line)
		}
	}
	row(zero, "since request", "wrong by", "file", "what")
	for _, m := range all {
		sent := ""
		if of != nil {
			sent = signed(of.since(m.Time).Length)
		}
		row(r.offset(m.At), sent, plusMinus(m.Err+m.Late), m.file, m.what)
	}
}

// plusMinus writes by how much a time may be wrong at most, rounded up; empty if it is exact.
func plusMinus(err time.Duration) string {
	if err == 0 {
		return ""
	}
	return "±" + phrase.Seconds((err + time.Millisecond - 1).Truncate(time.Millisecond))
}

// event returns an event as a moment.
func (r *Recording) event(e evidence.Event) moment {
	what := string(e.Kind)
	switch {
	case e.Kind == evidence.RuleAdded || e.Kind == evidence.RuleGone:
		what += " on " + e.Object
	case e.Kind == evidence.ChannelState:
		what = fmt.Sprintf("channel %d", e.Count)
	case e.Object != "":
		what += ": " + e.Object
	}
	if e.Kind == evidence.PodExited {
		what += fmt.Sprintf(": code %d", e.Count)
	}
	if e.Detail != "" {
		what += ": " + e.Detail
	}
	return moment{r.Timeline.TimeOf(e), what, evidence.EventsFile}
}
