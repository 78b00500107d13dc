package verdict

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed CODES.md
var codesText string

// A Code is the permanent name of a rule, a [ReasonKind], an advice or a limit, for scripts and people, with its explanation.
type Code struct {
	Code string // such as RC1001: rules begin at RC1001, reasons at RC2001, advice at RC3001, limits at RC4001
	ID   string // of the rule, the reason, the advice or the limit
	Text string // what causes it and what to do, as lines of Markdown
}

// Codes lists all codes, from CODES.md.
var Codes = sync.OnceValue(func() (list []Code) {
	for section := range strings.SplitSeq(codesText, "\n## ") {
		head, text, _ := strings.Cut(section, "\n")
		if code, id, ok := strings.Cut(head, " "); ok && strings.HasPrefix(code, "RC") {
			list = append(list, Code{code, id, strings.TrimSpace(text)})
		}
	}
	return list
})

// CodeOf returns the code of a rule, a reason, an advice or a limit; empty for one that this build does not know.
func CodeOf(id string) string {
	for _, c := range Codes() {
		if c.ID == id {
			return c.Code
		}
	}
	return ""
}
