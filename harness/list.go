package harness

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"text/tabwriter"

	"rollcall/harness/host"
)

// A Listed is a scenario in a mode, as a dry run tells of it.
type Listed struct {
	Suite, Scenario, Mode string
	Needs                 []string
	Skipped               string  // why it would be; empty: it would run
	LeftOut               bool    // the profile does not record it
	Seconds               float64 // that it takes by an estimate
	Beside                int     // most that go on at the same time, itself included
	Whole                 bool    // nothing goes on beside it
	Rollout               string  // the same for those that one recording serves; empty: it serves itself alone
}

// ListFile is the environment variable that names a file for a list in JSON, a line each, in place of the table.
const ListFile = "ROLLCALL_LIST"

// list writes down the scenarios that -run selects: what each needs, and whether it would run. Nothing is written anywhere
// else.
func (r *Rig) list(t *testing.T, w io.Writer, suite string, scenarios []Scenario) {
	ctx, stop := r.context(t)
	defer stop()
	if r.attached != nil {
		if _, err := r.Admit(ctx, io.Discard, ""); err != nil {
			t.Fatal(err)
		}
	}
	var listed []Listed
	for _, mode := range r.modes {
		skip := ""
		if r.attached == nil {
			if supported, because := host.Probe(ctx).SupportsMode(mode); !supported {
				skip = because
			}
		}
		t.Run(mode, func(t *testing.T) {
			for _, s := range scenarios {
				t.Run(s.ID, func(*testing.T) {
					l := Listed{Suite: suite, Scenario: s.ID, Mode: mode, Needs: s.needs(), Skipped: skip, LeftOut: !s.in(r.profile),
						Seconds: s.estimate().Seconds(), Beside: s.beside(r.jobs), Whole: s.share() == whole, Rollout: s.rollout()}
					if r.attached != nil {
						l.Skipped = r.lacks(r.attached, s)
					}
					listed = append(listed, l)
				})
			}
		})
	}
	var err error
	if file := os.Getenv(ListFile); file != "" {
		err = appendList(file, listed)
	} else {
		err = PrintList(w, listed)
	}
	if err != nil {
		t.Error(err)
	}
}

func appendList(file string, listed []Listed) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := json.NewEncoder(f)
	for _, l := range listed {
		if err := lines.Encode(l); err != nil {
			return err
		}
	}
	return nil
}

// PrintList prints the scenarios that the profile records as a table.
func PrintList(w io.Writer, listed []Listed) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, l := range listed {
		if !l.LeftOut {
			fmt.Fprintf(table, "%s/%s\t%s\t%s\t%s\n", l.Suite, l.Scenario, l.Mode, strings.Join(l.Needs, ", "), would(l.Skipped))
		}
	}
	return table.Flush()
}

func would(skip string) string {
	if skip == "" {
		return "runs"
	}
	return "skipped: " + skip
}

// NeedsLoad is the first of the needs of a scenario under load.
const NeedsLoad = "load"

// needs is what it does and uses, in words.
func (s Scenario) needs() []string {
	needs := []string{NeedsLoad}
	if s.Walk != nil {
		needs = []string{"no load"}
	}
	return append(needs, s.uses()...)
}

// beside is how many of its kind go on at the same time, where so many recordings do.
func (s Scenario) beside(jobs int) int {
	switch s.share() {
	case whole:
		return 1
	case aLoad:
		return loadsOf(jobs)
	}
	return jobs
}
