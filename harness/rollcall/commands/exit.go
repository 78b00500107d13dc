package commands

import (
	"errors"
	"fmt"

	"example.com/rollcall/harness/usage"
)

// Exit codes that are not about a verdict.
const (
	exitUsage          = 2 // wrong arguments, a folder that cannot be read, or a host that is not fit; nothing was created
	exitInfrastructure = 3 // what was asked for could not be done, or its result not be written
)

// An exit ends a command with a code. Without an error it is that of a verdict, which has been printed.
type exit struct {
	code int
	err  error
}

func (e exit) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e exit) Unwrap() error { return e.err }

// exitCode ends a command with the code of a verdict.
func exitCode(code int) error {
	if code == 0 {
		return nil
	}
	return exit{code: code}
}

// infrastructure returns err as an exit with the code exitInfrastructure, unless it is an exit already, such as that of a verdict.
func infrastructure(err error) error {
	if err == nil || errors.As(err, new(exit)) {
		return err
	}
	return exit{exitInfrastructure, err}
}

// finish returns the exit of a command: with the code of a verdict, 0 if there is none, or with the error that kept it from its work.
func finish(code int, err error) error {
	switch {
	case usage.Is(err):
		return exit{exitUsage, err}
	case err != nil:
		return infrastructure(err)
	default:
		return exitCode(code)
	}
}
