// Package usage is what a person gives a command: options, each said once as a row of flag, variable, help and arguments; YAML files,
// read strictly, because a misspelt promise is none; and the error of what is wrong with them, which ends a command with exit code 2.
package usage

import (
	"errors"
	"fmt"
	"strings"
)

// An Error is bad input or an unfit host: one line that names the thing, the reason and the remedy. Nothing has been created
// or changed when it is returned, and a command ends with exit code 2.
type Error struct {
	Thing, Reason, Remedy string
}

// Error returns the line.
func (e *Error) Error() string { return fmt.Sprintf("%s: %s: %s", e.Thing, e.Reason, e.Remedy) }

// OneLine is the text of an error on one line, such as a Reason has it.
func OneLine(err error) string { return JoinLines(err.Error()) }

// JoinLines is a text on one line: every run of white space is one space.
func JoinLines(text string) string { return strings.Join(strings.Fields(text), " ") }

// New makes an Error.
func New(thing, reason, remedy string) error {
	return &Error{Thing: thing, Reason: reason, Remedy: remedy}
}

// Is reports whether err is, or wraps, an Error.
func Is(err error) bool {
	var e *Error
	return errors.As(err, &e)
}
