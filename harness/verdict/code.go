package verdict

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed CODES.md
var codesText string

// A Code stands for a rule or a [ReasonKind] where a script or a person wants to name it: it never changes.
type Code struct {
	Code string // such as RC1001; rules have those from RC1001 on, reasons those from RC2001 on, advice those from RC3001 on
	ID   string // of the rule, the reason or the advice
	Text string // what causes a finding of it that is not a pass, and what to do: lines of Markdown
}

// Codes lists them all, from CODES.md.
var Codes = sync.OnceValue(func() (list []Code) {
	for section := range strings.SplitSeq(codesText, "\n## ") {
		head, text, _ := strings.Cut(section, "\n")
		if code, id, ok := strings.Cut(head, " "); ok && strings.HasPrefix(code, "RC") {
			list = append(list, Code{code, id, strings.TrimSpace(text)})
		}
	}
	return list
})

// CodeOf is the code of a rule or a reason; empty for one that this build does not know.
func CodeOf(id string) string {
	for _, c := range Codes() {
		if c.ID == id {
			return c.Code
		}
	}
	return ""
}
