package harness

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"text/tabwriter"

	"rollcall/harness/host"
)

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
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, mode := range r.modes {
		skip := ""
		if r.attached == nil {
			if supported, because := host.Probe(ctx).Mode(mode); !supported {
				skip = because
			}
		}
		t.Run(mode, func(t *testing.T) {
			for _, s := range scenarios {
				t.Run(s.ID, func(*testing.T) {
					because := skip
					if r.attached != nil {
						because = r.lacks(r.attached, s)
					}
					fmt.Fprintf(table, "%s/%s\t%s\t%s\t%s\n", suite, s.ID, mode, strings.Join(s.needs(), ", "), would(because))
				})
			}
		})
	}
	if err := table.Flush(); err != nil {
		t.Error(err)
	}
}

func would(skip string) string {
	if skip == "" {
		return "runs"
	}
	return "skipped: " + skip
}

// needs is what it does and uses, in words.
func (s Scenario) needs() []string {
	needs := []string{"load"}
	if s.Walk != nil {
		needs = []string{"no load"}
	}
	return append(needs, s.uses()...)
}
