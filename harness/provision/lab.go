package provision

import (
	"context"
	"errors"
	"io"
	"os/exec"

	"example.com/rollcall/harness/command"
	"example.com/rollcall/harness/usage"
)

// Lab has rollcall-host do something with its virtual machine with IP_VS, prints to out all that it prints, and returns its exit code.
func Lab(ctx context.Context, out io.Writer, args ...string) (code int, err error) {
	args = append([]string{"lab"}, args...)
	at, err := provide(ctx, out)
	if err != nil {
		return 0, err
	}
	if at == "" {
		return 0, usage.New("ipvs lab", Program+" makes it, and is not here", toRun(args...))
	}
	_, err = command.Command{Line: `"` + at + `"`, Args: args, Log: out, Awaited: true}.Run(ctx)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Exited() {
		return exit.ExitCode(), nil
	}
	return 0, err
}
