package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"
)

// Formats of an output: text for a person, or data for a script.
const (
	asText     = "text"
	asJSON     = "json"
	asYAML     = "yaml"
	asMarkdown = "markdown"
)

// An output is the format in which a command prints what it found.
type output struct {
	format  string
	formats []string
}

// addOutput gives a command the flag -o.
func addOutput(cmd *cobra.Command, formats ...string) *output {
	o := &output{formats: formats}
	cmd.Flags().StringVarP(&o.format, "output", "o", asText, "`format`: "+strings.Join(formats, ", "))
	return o
}

// print writes what was found: data as JSON or YAML, with the names of its JSON, or else by a function of the format.
func (o *output) print(w io.Writer, data any, by map[string]func(io.Writer) error) error {
	if !slices.Contains(o.formats, o.format) {
		return fmt.Errorf("rollcall: output %q: there is no such format here: use %s", o.format, strings.Join(o.formats, ", "))
	}
	if write, ok := by[o.format]; ok {
		return infrastructure(write(w))
	}
	text, err := json.MarshalIndent(data, "", "  ")
	if err == nil && o.format == asYAML {
		text, err = yaml.JSONToYAML(text)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", strings.TrimSuffix(string(text), "\n"))
	return infrastructure(err)
}
