// Package usage has the input of a command: options, each one row of flag, variable, help and value; YAML files, read strictly,
// because a misspelt field would be ignored; and the error for bad input, which ends a command with exit code 2.
package usage

import (
	"errors"
	"fmt"

	"example.com/rollcall/harness/verdict/phrase"
)

// An Error is bad input or an unfit host: one line that names the thing, the reason and the remedy. Nothing has been created
// or changed when it is returned, and a command ends with exit code 2.
type Error struct {
	Thing, Reason, Remedy string
}

// Error returns the thing, the reason and the remedy in one line that is safe to print.
func (e *Error) Error() string {
	return phrase.Printable(fmt.Sprintf("%s: %s: %s", e.Thing, e.Reason, e.Remedy))
}

// OneLine returns the text of an error in one line, for a Reason.
func OneLine(err error) string { return phrase.Printable(err.Error()) }

// New returns an [Error].
func New(thing, reason, remedy string) error {
	return &Error{Thing: thing, Reason: reason, Remedy: remedy}
}

// Is reports whether err is, or wraps, an Error.
func Is(err error) bool {
	var e *Error
	return errors.As(err, &e)
}
