package userapp

import (
	"example.com/rollcall/harness/secret"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/loadgen"
)

// Exposed reports whether a header has what may be a secret where others read it, rather than in a file or a variable.
func Exposed(h loadgen.HeaderField) bool {
	return !usage.Refers(h.Value) && (secret.Named(h.Name) || secret.URLs(h.Value) != h.Value)
}
