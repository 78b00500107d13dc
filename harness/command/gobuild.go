package command

import (
	"context"
	"strings"
)

// A GoBuild compiles static programs of one module with the go command.
type GoBuild struct {
	Module   string   // folder of the module; empty: the working directory
	Out      string   // file, or a folder if it ends with a slash
	Packages []string // of the programs
	Flags    []string // of go build, such as -trimpath
	Env      []string // KEY=value, added to our environment
}

// Command returns the go command.
func (b GoBuild) Command() Command {
	args := append(append([]string{"go", "build"}, b.Flags...), `-o "`+b.Out+`"`)
	return Command{
		Line: strings.Join(append(args, b.Packages...), " "), Dir: b.Module, Env: append([]string{"CGO_ENABLED=0"}, b.Env...),
	}
}

// Run compiles the programs.
func (b GoBuild) Run(ctx context.Context) error {
	_, err := b.Command().Run(ctx)
	return err
}
