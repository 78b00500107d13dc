package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"example.com/rollcall/reports/compare"
)

func trendCommand() *cobra.Command {
	var history string
	cmd := &cobra.Command{
		Use:   "trend DIR...",
		Short: "Add runs to the history, and say how scenarios and numbers went",
		Long: `Add runs to the history, and say how scenarios and their numbers went: for each
scenario and mode its outcomes run by run, how often it said otherwise than
usual, when its outcome changed last, and of every number a sparkline, the last
value, the median and the range. Markdown is printed, or
with -o data for a script: the lines of the history.

Each DIR is a run folder. The history is a file of JSON lines, one per run,
scenario and mode, beside the first of them unless --history names another. It
is only ever appended to: a run that is in it is not added again. Histories may
be joined with cat. With --history alone what is in it is told.

A run is added as its report.json says; one without is judged now. One that has
not ended is left out, and said so.

Exit codes:
  0  the history is told
  2  wrong usage, a DIR that is no run or cannot be read, which is left out, or
     a history that cannot be read
  3  the history or what was found could not be written`,
		Example: `  rollcall trend out/2*
  rollcall trend out/latest --history nightly/history.jsonl`,
	}
	out := addSheetOutput(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		path, err := historyBeside(history, args)
		if err != nil {
			return err
		}
		h, added, err := appended(path, args)
		if err != nil {
			if _, unreadable := compare.ReadHistory(path); unreadable == nil {
				return infrastructure(err)
			}
			return err
		}
		lines := append([]compare.Line{}, h.Lines...) // a list, also of nothing
		if err := out.publish(cmd.OutOrStdout(), lines, compare.TrendSheet(h, added)); err != nil {
			return err
		}
		return errors.Join(added.Bad...)
	}
	cmd.Flags().StringVar(&history, "history", "", "the history (default "+compare.HistoryFile+" beside the first DIR)")
	return cmd
}

func appended(path string, runs []string) (h compare.History, added compare.Added, err error) {
	if len(runs) == 0 {
		h, err = compare.ReadHistory(path)
		return h, added, err
	}
	return compare.AppendHistory(path, runs)
}

// historyBeside is where the history is: as named, which has to be there when no run is to be added, or beside the
// first run.
func historyBeside(named string, runs []string) (string, error) {
	switch {
	case named == "" && len(runs) == 0:
		return "", errors.New("rollcall: trend: no run and no history: name run folders, such as out/latest, or --history FILE")
	case named == "":
		first, err := filepath.Abs(runs[0])
		if err != nil {
			return "", fmt.Errorf("rollcall: trend: %w", err)
		}
		return filepath.Join(filepath.Dir(first), compare.HistoryFile), nil
	case len(runs) == 0:
		if _, err := os.Stat(named); err != nil {
			return "", fmt.Errorf("rollcall: trend: read history: %w: name runs to begin it", err)
		}
	}
	return named, nil
}
