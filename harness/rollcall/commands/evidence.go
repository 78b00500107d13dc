package commands

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/inspect"
)

func evidenceCommand() *cobra.Command {
	var request, pod string
	cmd := &cobra.Command{
		Use:               "evidence SCENARIO",
		Short:             "Print what is recorded of a scenario, a request or a pod, from all files",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeRecorded,
	}
	cmd.Flags().StringVar(&request, "request", "", "print what is recorded of this request, `LANE/N`, such as worker-fresh/165")
	cmd.Flags().StringVar(&pod, "pod", "", "print what is recorded of this `pod`: its name, or the last part of it")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var asked []timeline.HitID
		if request != "" {
			id, err := inspect.ParseRequest(request)
			if err != nil {
				return err
			}
			asked = append(asked, id)
		}
		folder, err := evidenceFolder(args[0])
		if err != nil {
			return err
		}
		r, err := inspect.Open(folder, args[0], asked...)
		if err != nil {
			return err
		}
		w := cmd.OutOrStdout()
		for _, id := range asked {
			if err := r.Request(w, id); err != nil {
				return err
			}
		}
		if pod != "" {
			return r.Pod(w, pod)
		}
		if len(asked) == 0 {
			r.Summary(w)
		}
		return nil
	}
	return cmd
}

// evidenceFolder returns the folder of a recording: the one that is named, or that of a scenario, MODE/SUITE/ID, in the newest run.
func evidenceFolder(name string) (string, error) {
	if exists(filepath.Join(name, evidence.RunFile)) {
		return filepath.Clean(name), nil
	}
	if exists(evidence.SessionPath(name)) {
		return "", usage.New(name, "it is a run with several recordings", "name the folder of one: "+
			evidence.ScenarioFolder(name, "MODE", "SUITE", "ID", 1))
	}
	run, err := newestRun(nil)
	if err != nil {
		return "", err
	}
	return reports.EvidenceFolder(run, name)
}

// completeRecorded offers the scenarios of the newest run, and folders.
func completeRecorded(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	run, err := newestRun(nil)
	if len(args) > 0 || err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	if _, err := os.Stat(typed); err == nil && typed != "" {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	return reports.Recorded(run), cobra.ShellCompDirectiveDefault
}
