package main

import (
	"embed"
	"strings"

	"github.com/spf13/cobra"
)

// helpTexts has the long help of each command as NAME.txt, with the examples after the line "Examples:".
//
//go:embed help
var helpTexts embed.FS

// describe sets the help of commands and of those below them.
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
