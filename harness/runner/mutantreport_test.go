package runner

import (
	"fmt"
	"io"
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

// write writes the file, in which results of mutants that were not selected stay, and prints the table.
func (r *mutantReport) write(w io.Writer) error {
	all, err := mutants.Merge(r.file, r.results)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(w, mutants.Table(r.results))
	if survivors := mutants.Survivors(all); err == nil && survivors > 0 {
		_, err = fmt.Fprintf(w, "%d of %d in %s survive\n", survivors, len(all), r.file)
	}
	return err
}
