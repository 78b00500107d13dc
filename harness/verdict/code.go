package verdict

import (
	"slices"
	"strings"
)

// A Code is the permanent name of a rule, a [ReasonKind], an advice, a limit or a stage at which requests are lost, for scripts and people,
// with its explanation.
type Code struct {
	Code   string // such as RC1001: rules begin at RC1001, reasons at RC2001, advice at RC3001, limits at RC4001, stages at RC5001
	ID     string // of the rule, the reason, the advice, the limit or the stage
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

// codes has every code of this package, in their order.
var codes = slices.Concat(ruleCodes, reasonCodes, limitCodes, causeCodes)

// Codes lists the codes of rules, reasons, limits and stages, in their order. Those of advice are in package reports/advice.
func Codes() []Code { return slices.Clone(codes) }

// RetiredCodes lists the codes of rules that no scenario had. They are not given again.
func RetiredCodes() []string { return []string{"RC1034", "RC1053"} }

// Named reports whether a name is the code's: itself, in capitals or not, or its id.
func (c Code) Named(name string) bool { return c.ID == name || strings.EqualFold(c.Code, name) }

// CodeOf returns the code of a rule, a reason, a limit or a stage; empty for one that this build does not know.
func CodeOf(id string) string {
	if i := slices.IndexFunc(codes, func(c Code) bool { return c.Named(id) }); i >= 0 {
		return codes[i].Code
	}
	return ""
}
