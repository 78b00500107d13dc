package host

import (
	"errors"
	"fmt"
)

// A Refusal is bad input or an unfit host: one line that names the thing, the reason and the
// remedy. Nothing has been created or changed when it is returned, and a command ends with exit code 2.
type Refusal struct {
	Thing, Reason, Remedy string
}

// Error returns the line.
func (r *Refusal) Error() string { return fmt.Sprintf("%s: %s: %s", r.Thing, r.Reason, r.Remedy) }

// Refuse makes a Refusal.
func Refuse(thing, reason, remedy string) error {
	return &Refusal{Thing: thing, Reason: reason, Remedy: remedy}
}

// Refused reports whether err is, or wraps, a Refusal.
func Refused(err error) bool {
	var r *Refusal
	return errors.As(err, &r)
}
