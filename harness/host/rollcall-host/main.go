// Command rollcall-host makes a Debian or Ubuntu host fit for Rollcall's clusters: it sets up the container engine, makes node images,
// compiles components of other versions, and keeps a virtual machine with IP_VS. It needs a clone of the repository, root, and the go
// command. rollcall calls it where it needs one of these, and never changes a host itself.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"example.com/rollcall/harness/provision"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/verdict/phrase"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // so that a second Ctrl-C ends this process at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// exitFailed is the exit code when what was asked for could not be made.
const exitFailed = 3

// An ended is the exit code of a program that was run, which has printed why.
type ended int

func (e ended) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	asked := &program{}
	root := asked.command()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	var of ended
	switch {
	case errors.As(err, &of):
		return int(of)
	case err == nil && asked.made == "" && !asked.json: // as after setup, and a call for help
		return 0
	}
	answer := provision.Answer{Made: asked.made}
	if err != nil {
		answer = provision.Answer{Error: phrase.PrintableLines(err.Error())}
	}
	switch {
	case asked.json:
		err = cmp.Or(err, json.NewEncoder(stdout).Encode(answer))
	case err != nil:
		fmt.Fprintln(stderr, "Error:", answer.Error)
	default:
		_, err = fmt.Fprintln(stdout, answer.Made)
	}
	switch {
	case err == nil:
		return 0
	case usage.Is(err) || !asked.began:
		return provision.ExitUsage
	}
	return exitFailed
}

// A program is one call of rollcall-host.
type program struct {
	json  bool
	began bool   // its arguments were right
	made  string // the name of an image, or the path of a file or folder
}

func (p *program) command() *cobra.Command {
	root := &cobra.Command{
		Use:   provision.Program,
		Short: "Makes a host fit for Rollcall's clusters",
		Long: "Makes a host fit for Rollcall's clusters: Debian or Ubuntu, as root, from a clone of the repository.\n" +
			"Progress is printed to standard error, and what was made to standard output.\n\n" +
			"Exit codes: 0; 2 for bad input, or a host that cannot have it; 3 when it failed.",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.PersistentFlags().BoolVar(&p.json, "json", false, "print what was made, or the error, as one line of JSON")
	cobra.EnableCommandSorting = false
	root.AddCommand(p.setupCommand(), p.nodeImageCommand(), p.componentCommand(), p.upgradeCommand(), p.metricsServerCommand(), labCommand(p))
	return root
}

// makes makes something of a command's arguments, with progress lines, and returns its name or path.
type makes func(ctx context.Context, progress io.Writer, args []string) (string, error)

// make returns what a command runs.
func (p *program) make(do makes) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) (err error) {
		p.began = true
		p.made, err = do(cmd.Context(), cmd.ErrOrStderr(), args)
		return err
	}
}
