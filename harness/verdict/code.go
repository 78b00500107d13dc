package verdict

import (
	"slices"
	"strings"
)

// A Code is the permanent name of a rule, a [ReasonKind], an advice or a limit, for scripts and people, with its explanation.
type Code struct {
	Code   string // such as RC1001: rules begin at RC1001, reasons at RC2001, advice at RC3001, limits at RC4001
	ID     string // of the rule, the reason, the advice or the limit
	Causes string // a paragraph of Markdown
	Do     string // what to do, likewise; it may be empty if As is not
	As     string // another code whose remedy is this one's, too
}

// Remedy is what to do, as a paragraph of Markdown.
func (c Code) Remedy() string {
	switch {
	case c.As == "":
		return c.Do
	case c.Do == "":
		return "as for " + c.As + "."
	default:
		return "as for " + c.As + "; " + c.Do
	}
}

// codes has every code, in their order.
var codes = slices.Concat(ruleCodes, reasonCodes, adviceCodes, limitCodes)

// Codes lists all codes, in their order. CODES.md is made of them.
func Codes() []Code { return slices.Clone(codes) }

// RetiredCodes lists the codes of rules that no scenario had. They are not given again.
func RetiredCodes() []string { return []string{"RC1034", "RC1053"} }

// CodeNamed finds the code with a name: itself, in capitals or not, or the id of its rule, reason, advice or limit.
func CodeNamed(name string) (Code, bool) {
	i := slices.IndexFunc(codes, func(c Code) bool { return c.ID == name || strings.EqualFold(c.Code, name) })
	if i < 0 {
		return Code{}, false
	}
	return codes[i], true
}

// CodeOf returns the code of a rule, a reason, an advice or a limit; empty for one that this build does not know.
func CodeOf(id string) string {
	code, _ := CodeNamed(id)
	return code.Code
}
