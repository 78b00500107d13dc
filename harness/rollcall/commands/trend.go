package commands

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"example.com/rollcall/harness/usage"
	"example.com/rollcall/reports/compare"
)

func trendCommand() *cobra.Command {
	var history string
	cmd := &cobra.Command{
		Use:   "trend DIR...",
		Short: "Add runs to the history, and say how scenarios and numbers went",
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
		lines := append([]compare.Line{}, h.Lines...) // [] and not null
		if err := out.publish(cmd.OutOrStdout(), lines, compare.TrendSheet(h, added)); err != nil {
			return err
		}
		return errors.Join(added.Bad...)
	}
	cmd.Flags().StringVar(&history, "history", "", "history `file` (default "+compare.HistoryFile+" beside the first DIR)")
	return cmd
}

func appended(path string, runs []string) (h compare.History, added compare.Added, err error) {
	if len(runs) == 0 {
		h, err = compare.ReadHistory(path)
		return h, added, err
	}
	return compare.AppendHistory(path, runs)
}

// historyBeside returns the path of the history: the one named, which has to exist if no run is to be added, or else one beside the first
// run.
func historyBeside(named string, runs []string) (string, error) {
	switch {
	case named == "" && len(runs) == 0:
		return "", usage.New("rollcall trend", "no run and no history is named", "name run folders, such as out/latest, or --history=FILE")
	case named == "":
		first, err := filepath.Abs(runs[0])
		if err != nil {
			return "", usage.New(runs[0], err.Error(), "name a run folder")
		}
		return filepath.Join(filepath.Dir(first), compare.HistoryFile), nil
	case len(runs) == 0:
		if _, err := os.Stat(named); err != nil {
			return "", usage.New("--history="+named, "it cannot be read: "+err.Error(), "name runs to begin it with")
		}
	}
	return named, nil
}
