package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/layout"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/progress"
	"example.com/rollcall/harness/sharedfile"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/reports/live"
	"example.com/rollcall/reports/page"
)

func statusCommand() *cobra.Command {
	var watch bool
	var serve string
	cmd := &cobra.Command{
		Use:   "status [DIR]",
		Short: "Say how far a run is: what is under way, what ended, and how long it will take",
		Args:  countArgs(0, 1, "one run folder, or none for the newest"),
	}
	cmd.Flags().BoolVarP(&watch, "watch", "w", false, "go on until the run has ended")
	addServe(cmd, &serve)
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
			return usage.New(folder, "it has no status of a run", "name a run folder, such as out/latest")
		}
		if serve != "" && goesOn(folder) {
			shown, err := live.Listen(serve)
			if err != nil {
				return usage.New("--serve="+serve, err.Error(), "name a free port, or none for any")
			}
			defer shown.Close()
			if err := shown.Show(folder); err != nil {
				return infrastructure(err)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "watch it live: %s\n", shown.URL())
			watch = true
		}
		if watch && goesOn(folder) {
			ctx, stop := context.WithCancel(cmd.Context())
			defer stop()
			go func() {
				defer stop()
				_ = poll.Until(ctx, time.Second, func() (bool, error) { return !goesOn(folder), nil })
			}()
			return infrastructure(progress.NewScreen(cmd.OutOrStdout()).Follow(ctx, file))
		}
		return out.print(cmd.OutOrStdout(), s, map[string]func(io.Writer) error{
			asText: func(w io.Writer) error { return statusAsText(w, folder, s) },
		})
	}
	return cmd
}

// newestRun returns the run folder in the arguments, or else the one that began last where runs write theirs.
func newestRun(args []string) (string, error) {
	if len(args) > 0 {
		return args[0], nil
	}
	home, err := layout.Find()
	if err != nil {
		return "", infrastructure(err)
	}
	files, err := filepath.Glob(filepath.Join(home.Runs(), "2*", progress.File))
	if err != nil || len(files) == 0 {
		return "", usage.New(home.Runs(), "it has no run", "name the folder of one, or begin one: rollcall run")
	}
	return filepath.Dir(slices.Max(files)), nil
}

// sessionLock returns the file that a recorder holds locked from before there is a session until the session has ended.
func sessionLock(folder string) string { return evidence.SessionPath(folder) + ".lock" }

// goesOn reports whether a run has neither ended nor been killed.
func goesOn(folder string) bool {
	lock := sessionLock(folder)
	if !exists(lock) {
		return false
	}
	held, err := sharedfile.TryLock(lock)
	if err == nil { // its holder is gone, and left the file
		_ = held.Abort()
	}
	return errors.Is(err, sharedfile.ErrHeld)
}

func statusAsText(w io.Writer, folder string, s progress.Status) error {
	var session evidence.Session
	state := "was killed"
	switch {
	case goesOn(folder):
		state = "under way"
	case store.ReadJSON(evidence.SessionPath(folder), &session) != nil || !session.Ended.IsZero():
		state = "ended"
	}
	text := fmt.Sprintf("run %s: %s, %d of %d scenarios done\n", s.Run, state, len(s.Ended), s.Total())
	for _, e := range s.Ended {
		if e.Outcome != "pass" && e.Outcome != "skipped" {
			text += fmt.Sprintf("%s %s %s/%s: %s\n", e.Outcome, e.Mode, e.Suite, e.Scenario, e.Brief())
		}
	}
	if state == "under way" {
		for _, line := range s.Lines() {
			if line != "" {
				text += line + "\n"
			}
		}
	} else {
		text += s.Counts() + "\n"
	}
	if file := filepath.Join(folder, page.New(folder).File().Name); exists(file) {
		text += "page: " + file + "\n"
	} else if state == "was killed" {
		text += "what it recorded can be judged: rollcall report " + folder + "\n"
	}
	_, err := io.WriteString(w, text)
	return err
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}
