package main

import (
	"errors"
	"fmt"

	"example.com/rollcall/harness/usage"
)

// Exit codes that are not about a verdict.
const (
	exitUsage          = 2 // wrong arguments, a folder that cannot be read, or a host that is not fit; nothing was created
	exitInfrastructure = 3 // what was asked for could not be done, or what was found not be written
)

// An exit ends a command with a code. What has no error is a verdict, which has been printed.
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

// infrastructure is the error of doing or telling what was asked for. One that ends a command already, as a verdict does, stays.
func infrastructure(err error) error {
	if err == nil || errors.As(err, new(exit)) {
		return err
	}
	return exit{exitInfrastructure, err}
}

// finish ends a command that did its work with the code of a verdict, 0 where there is none, or says why it could not.
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
