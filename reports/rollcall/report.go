package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"example.com/rollcall/reports"
	"example.com/rollcall/reports/model"
	"example.com/rollcall/reports/page"
)

func reportCommand() *cobra.Command {
	var dryRun bool
	var picture string
	cmd := &cobra.Command{
		Use:   "report DIR",
		Short: "Judge a recorded run again and write its reports",
		Args:  cobra.ExactArgs(1),
	}
	out := addOutput(cmd, asText, asJSON, asYAML, asMarkdown)
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "say what this build would judge otherwise, and write nothing")
	cmd.Flags().StringVar(&picture, "picture", "", "print the timeline of this `scenario`, MODE/SUITE/ID, as an SVG file, and write nothing")
	cmd.MarkFlagsMutuallyExclusive("output", "dry-run", "picture")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch dir := args[0]; {
		case dryRun:
			return rejudge(cmd.OutOrStdout(), dir)
		case picture != "":
			return draw(cmd.OutOrStdout(), filepath.Join(dir, "evidence", picture))
		default:
			return report(cmd, dir, out)
		}
	}
	return cmd
}

func report(cmd *cobra.Command, dir string, out *output) error {
	index := page.New(dir)
	r, err := reports.LoadWith(dir, index)
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
	if err := reports.GitHub(talk, os.Getenv, r); err != nil {
		return infrastructure(err)
	}
	return exitCode(model.ExitCode(r))
}

func draw(w io.Writer, evidence string) error {
	var svg bytes.Buffer
	if err := page.Picture(&svg, evidence); err != nil {
		return err
	}
	_, err := svg.WriteTo(w)
	return infrastructure(err)
}
