package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/rollcall/harness/mutants"
)

// A mutantReport has the results of the mutants.
type mutantReport struct {
	file               string
	commit, kubernetes string
	results            []mutants.Result
}

// left adds a result and prints how many mutants are left in its mode.
func (r *mutantReport) left(m *mutantRun, result mutants.Result) string {
	if result.Killed {
		result.Commit, result.Kubernetes = r.commit, r.kubernetes
	}
	r.results = append(r.results, result)
	all := 0
	for _, mutant := range mutants.All() {
		if mutant.In(m.mode) {
			all++
		}
	}
	each := time.Since(m.began) / time.Duration(m.done)
	return fmt.Sprintf("%s: %d of %d mutants done, about %v left if all are selected", m.mode, m.done, all,
		(time.Duration(all-m.done) * each).Round(time.Second))
}

// write writes the file, in which results of mutants that were not selected stay, and prints the table. It returns an error if ctx has
// ended, since not all selected mutants were done then.
func (r *mutantReport) write(ctx context.Context, w io.Writer) error {
	all, err := mutants.Merge(r.file, r.results)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(w, mutants.Table(r.results))
	if survivors := mutants.Survivors(all); err == nil && survivors > 0 {
		_, err = fmt.Fprintf(w, "%d of %d in %s survive\n", survivors, len(all), r.file)
	}
	return errors.Join(err, interrupted(ctx))
}

// interrupted returns an error if ctx has ended: skipped tests alone would count as a success.
func interrupted(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return fmt.Errorf("interrupted, so that not all was run: %w", context.Cause(ctx))
}

// The results of mutants that were done before an interruption are kept, and the others are not passed over in silence.
func TestInterruptedMutants(t *testing.T) {
	ended, end := context.WithCancelCause(t.Context())
	end(errors.New("interrupt signal received"))
	for _, row := range []struct {
		sentence string
		ctx      context.Context
		says     string
	}{
		{"all were done", t.Context(), ""},
		{"the run was interrupted", ended, "interrupted, so that not all was run: interrupt signal received"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			r := mutantReport{file: filepath.Join(t.TempDir(), "mutants.json"),
				results: []mutants.Result{{Mutant: "agent-killed", Mode: "iptables", Killed: true}}}
			var printed strings.Builder
			got := ""
			if err := r.write(row.ctx, &printed); err != nil {
				got = err.Error()
			}
			if got != row.says {
				t.Errorf("error %q, want %q", got, row.says)
			}
			if all, err := mutants.Merge(r.file, nil); err != nil || len(all) != 1 {
				t.Errorf("%d results in the file, %v; want 1", len(all), err)
			}
			if !strings.Contains(printed.String(), "1 of 1 mutants were killed") {
				t.Errorf("the table is not printed: %s", printed.String())
			}
		})
	}
}
