package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/progress"
)

func statusCommand() *cobra.Command {
	var watch bool
	cmd := &cobra.Command{
		Use:   "status [DIR]",
		Short: "Say how far a run is: what is under way, what ended, and how long it will take",
		Long: `Say how far a run is: what is under way, what ended and did not pass, and how
long the run will take if everything takes as long as last time. DIR is its
folder, by default the newest below out/ or $ARTIFACTS. With --watch it goes on
until the run has ended.

Exit codes: 0; 2 when DIR is not a run folder; 3 when it could not be printed.`,
		Example: "  rollcall status\n  rollcall status --watch out/20261126-093459",
		Args:    cobra.MaximumNArgs(1),
	}
	cmd.Flags().BoolVarP(&watch, "watch", "w", false, "go on until the run has ended")
	out := addOutput(cmd, asText, asJSON, asYAML)
	cmd.MarkFlagsMutuallyExclusive("watch", "output")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		folder, err := newestRun(args)
		if err != nil {
			return err
		}
		file := filepath.Join(folder, progress.File)
		s, err := progress.Read(file)
		if err != nil {
			return fmt.Errorf("rollcall: status: %s has no status of a run: name a run folder, such as out/latest", folder)
		}
		if watch && !hasEnded(folder) {
			ctx, stop := context.WithCancel(cmd.Context())
			defer stop()
			go stopAtEnd(ctx, stop, folder)
			return infrastructure(progress.Follow(ctx, file, progress.NewLog(cmd.OutOrStdout())))
		}
		return out.print(cmd.OutOrStdout(), s, map[string]func(io.Writer) error{
			asText: func(w io.Writer) error { return statusAsText(w, folder, s) },
		})
	}
	return cmd
}

// newestRun is the run folder that the arguments name, or else the one that began last.
func newestRun(args []string) (string, error) {
	if len(args) > 0 {
		return args[0], nil
	}
	root := cmp.Or(os.Getenv("ARTIFACTS"), "out")
	files, err := filepath.Glob(evidence.SessionPath(filepath.Join(root, "2*")))
	if err != nil || len(files) == 0 {
		return "", fmt.Errorf("rollcall: status: there is no run in %s: name its folder", root)
	}
	return filepath.Dir(slices.Max(files)), nil
}

// hasEnded reports whether a run has ended.
func hasEnded(folder string) bool {
	var s evidence.Session
	return store.ReadJSON(evidence.SessionPath(folder), &s) != nil || !s.Ended.IsZero()
}

// stopAtEnd calls stop when a run has ended, unless ctx ends first.
func stopAtEnd(ctx context.Context, stop func(), folder string) {
	for !hasEnded(folder) {
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return
		}
	}
	stop()
}

func statusAsText(w io.Writer, folder string, s progress.Status) error {
	state := "under way, or was killed"
	if hasEnded(folder) {
		state = "ended"
	}
	text := fmt.Sprintf("run %s: %s, %d of %d scenarios done\n", s.Run, state, len(s.Ended), max(len(s.Ended), len(s.Expected)))
	for _, e := range s.Ended {
		if e.Outcome != "pass" && e.Outcome != "skipped" {
			text += fmt.Sprintf("%s %s %s/%s: %s\n", e.Outcome, e.Mode, e.Suite, e.Scenario, cmp.Or(e.Headline, e.Because))
		}
	}
	for _, line := range s.Lines() {
		if line != "" {
			text += line + "\n"
		}
	}
	_, err := io.WriteString(w, text)
	return err
}
