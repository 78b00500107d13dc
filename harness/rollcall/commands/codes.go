package commands

import (
	"slices"
	"strings"

	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports/advice"
)

// codes lists every code that explain knows, by number. CODES.md is made of them.
func codes() []verdict.Code {
	return slices.SortedFunc(slices.Values(slices.Concat(verdict.Codes(), advice.Codes())),
		func(a, b verdict.Code) int { return strings.Compare(a.Code, b.Code) })
}

// codeNamed finds the code with a name: itself, or the id of its rule, reason, advice, limit or stage.
func codeNamed(name string) (verdict.Code, bool) {
	all := codes()
	i := slices.IndexFunc(all, func(c verdict.Code) bool { return c.Named(name) })
	if i < 0 {
		return verdict.Code{}, false
	}
	return all[i], true
}
