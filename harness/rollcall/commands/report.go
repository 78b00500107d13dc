package commands

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/model"
	"example.com/rollcall/reports/page"
)

func reportCommand() *cobra.Command {
	var dryRun bool
	var picture string
	cmd := &cobra.Command{
		Use:   "report DIR",
		Short: "Write the reports of a recorded run, and judge again what another build judged",
		Args:  countArgs(1, 1, "one run folder, such as out/latest"),
	}
	out := addOutput(cmd, asText, asJSON, asYAML, asMarkdown)
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "judge it all again, say what this build judges otherwise, and write nothing")
	cmd.Flags().StringVar(&picture, "picture", "", "print the timeline of this `scenario`, MODE/SUITE/ID, as an SVG file, and write nothing")
	cmd.MarkFlagsMutuallyExclusive("output", "dry-run", "picture")
	if err := cmd.RegisterFlagCompletionFunc("picture", func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		return recorded(strings.Join(args, "")), cobra.ShellCompDirectiveNoFileComp
	}); err != nil {
		panic(err) // the flag is there
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch dir := args[0]; {
		case dryRun:
			return rejudge(cmd.OutOrStdout(), dir)
		case picture != "":
			return draw(cmd.OutOrStdout(), dir, picture)
		default:
			return report(cmd, dir, out)
		}
	}
	return cmd
}

func report(cmd *cobra.Command, dir string, out *output) error {
	index := page.New(dir)
	r, err := reports.Collect(dir, index).Report()
	if err != nil {
		return err
	}
	if err := reports.WriteFolder(dir, r, index.File()); err != nil {
		return infrastructure(err)
	}
	if err := out.print(cmd.OutOrStdout(), r, map[string]func(io.Writer) error{
		asText:     func(w io.Writer) error { return reports.Terminal(w, r) },
		asMarkdown: func(w io.Writer) error { return reports.Markdown(w, r) },
	}); err != nil {
		return err
	}
	talk := cmd.OutOrStdout()
	if out.format != asText {
		talk = cmd.ErrOrStderr()
	}
	if r.JudgedAgain != "" {
		fmt.Fprintln(talk, r.JudgedAgain)
	}
	if err := reports.GitHub(talk, os.Getenv, r); err != nil {
		return infrastructure(err)
	}
	return exitCode(model.ExitCode(r))
}

// recorded lists what --picture may name: the recordings of a run folder, MODE/SUITE/ID.
func recorded(dir string) (all []string) {
	root := evidence.Folder(dir)
	files, err := filepath.Glob(filepath.Join(root, "*", "*", "*", evidence.RunFile))
	if err != nil {
		return nil // the folder has a name that is a pattern
	}
	for _, file := range files {
		all = append(all, filepath.ToSlash(strings.TrimPrefix(filepath.Dir(file), root+string(filepath.Separator))))
	}
	return all
}

func draw(w io.Writer, dir, scenario string) error {
	there := recorded(dir)
	if !slices.Contains(there, scenario) {
		if _, err := reports.Load(dir); err != nil {
			return err
		}
		return usage.New("--picture="+scenario, "no such scenario was recorded", "choose one of: "+strings.Join(there, ", ")+
			usage.Meant(scenario, there...))
	}
	var svg bytes.Buffer
	if err := page.Picture(&svg, filepath.Join(evidence.Folder(dir), scenario)); err != nil {
		return usage.New("--picture="+scenario, err.Error(), "choose one that was under load")
	}
	_, err := svg.WriteTo(w)
	return infrastructure(err)
}
