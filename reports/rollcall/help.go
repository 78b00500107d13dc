package main

import (
	"embed"
	"strings"

	"github.com/spf13/cobra"
)

// helpTexts say at length what commands do, NAME.txt each, with examples after a line of that name.
//
//go:embed help
var helpTexts embed.FS

// describe gives commands, and those below them, their help.
func describe(commands []*cobra.Command) {
	for _, cmd := range commands {
		text, err := helpTexts.ReadFile("help/" + cmd.Name() + ".txt")
		if err != nil {
			panic(err) // it is built in
		}
		long, examples, _ := strings.Cut(string(text), "\n\nExamples:\n")
		cmd.Long, cmd.Example = strings.TrimSpace(long), strings.TrimRight(examples, "\n")
		describe(cmd.Commands())
	}
}
