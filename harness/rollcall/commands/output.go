package commands

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"example.com/rollcall/harness/usage"
	"example.com/rollcall/reports"
)

// Formats of an output: text for a person, or data for a script.
const (
	asText     = "text"
	asJSON     = "json"
	asYAML     = "yaml"
	asMarkdown = "markdown"
)

// An output is the format in which a command prints what it found. It is the value of a flag.
type output struct {
	format  string
	formats []string
}

func (o *output) String() string { return o.format }

func (o *output) Type() string { return "format" }

func (o *output) Set(format string) error {
	if !slices.Contains(o.formats, format) {
		return errors.New("unknown format: use " + strings.Join(o.formats, ", ") + usage.Meant(format, o.formats...))
	}
	o.format = format
	return nil
}

// addOutput gives a command the flag -o.
func addOutput(cmd *cobra.Command, formats ...string) *output {
	o := &output{asText, formats}
	cmd.Flags().VarP(o, "output", "o", "`format`: "+strings.Join(formats, ", "))
	completeFlag(cmd, "output", formats)
	return o
}

func (o *output) isText() bool { return o.format == asText }

// said returns where a command says what it does meanwhile: beside the result, if that is data.
func (o *output) said(cmd *cobra.Command) io.Writer {
	if o.isText() {
		return cmd.OutOrStdout()
	}
	return cmd.ErrOrStderr()
}

// print writes a result: by the format's function in by, or else as JSON or YAML with the same names.
func (o *output) print(w io.Writer, data any, by map[string]func(io.Writer) error) error {
	if write, ok := by[o.format]; ok {
		return infrastructure(write(w))
	}
	var b bytes.Buffer
	err := reports.Indented(&b, data)
	text := b.Bytes()
	if err == nil && o.format == asYAML {
		text, err = yaml.JSONToYAML(text)
	}
	if err == nil {
		_, err = w.Write(text)
	}
	return infrastructure(err)
}

// A sheetOutput is the output of a command that prints a sheet, whose text is Markdown too, and with --html also writes it as a page.
type sheetOutput struct {
	*output
	html string
}

// addSheetOutput gives a command the flags -o and --html.
func addSheetOutput(cmd *cobra.Command) *sheetOutput {
	o := &sheetOutput{output: addOutput(cmd, asText, asMarkdown, asJSON, asYAML)}
	cmd.Flags().StringVar(&o.html, "html", "", "write it to this `file` as well, as one HTML page")
	return o
}

func (o *sheetOutput) publish(w io.Writer, data any, s reports.Sheet) error {
	if o.html != "" {
		var b bytes.Buffer
		if err := reports.SheetHTML(&b, s); err != nil {
			return infrastructure(err)
		}
		if err := os.WriteFile(o.html, b.Bytes(), 0o644); err != nil {
			return infrastructure(fmt.Errorf("rollcall: write page: %w", err))
		}
	}
	markdown := func(w io.Writer) error { return reports.SheetMarkdown(w, s) }
	return o.print(w, data, map[string]func(io.Writer) error{asText: markdown, asMarkdown: markdown})
}
