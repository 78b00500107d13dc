package commands

import (
	"embed"
	"strings"

	"github.com/spf13/cobra"
)

// helpTexts has the long help of each command as NAME.txt: what it does, then its exit codes from the line that begins with "Exit codes",
// then the examples after the line "Examples:".
//
//go:embed help
var helpTexts embed.FS

// exits is the annotation of a command with its exit codes.
const exits = "exits"

// helpForm is the help of every command: how it is called, what it does, its commands or options, and its exit codes.
const helpForm = `{{if not .Long}}{{.Short}}.

{{end}}Usage:
  {{if .HasParent}}{{.UseLine}}{{else}}{{.CommandPath}} COMMAND{{end}}{{with .Example}}

Examples:
{{.}}{{end}}{{with .Long}}

{{.}}{{end}}{{if .HasAvailableSubCommands}}{{$cmds := .Commands}}{{if .HasParent}}

Commands:{{range $cmds}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}{{range $group := .Groups}}

{{.Title}}{{range $cmds}}{{if eq .GroupID $group.ID}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}{{end}}{{end}}{{if .HasAvailableLocalFlags}}

Flags:
{{byTopic .LocalFlags | trimTrailingWhitespaces}}{{end}}{{with index .Annotations "exits"}}

{{.}}{{end}}{{if .HasAvailableSubCommands}}

{{.CommandPath}} COMMAND --help says more about a command.{{if not .HasParent}}
{{.CommandPath}} completion --help says how a shell completes commands, options and values.{{end}}{{end}}
`

// describe sets the help of commands and of those below them.
func describe(commands []*cobra.Command) {
	for _, cmd := range commands {
		text, err := helpTexts.ReadFile("help/" + cmd.Name() + ".txt")
		if err != nil {
			panic(err) // it is built in
		}
		about, examples, _ := strings.Cut(string(text), "\n\nExamples:\n")
		long, codes, _ := strings.Cut(about, "\n\nExit codes")
		cmd.Long, cmd.Example = strings.TrimSpace(long), strings.TrimRight(examples, "\n")
		cmd.Annotations = map[string]string{exits: "Exit codes" + strings.TrimRight(codes, "\n")}
		describe(cmd.Commands())
	}
}
