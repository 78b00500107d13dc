package verdict

import (
	"strings"

	"example.com/rollcall/harness/verdict/phrase"
)

// fillOf is fill, and also replaces {were} by "was" or "were", for n things.
func (a args) fillOf(n int, text string) string {
	if n == 1 {
		return a.fill(text, "{were}", "was")
	}
	return a.fill(text, "{were}", "were")
}

// fill replaces the names in braces in a text of a rule, such as "later than {max} after {from} failed", by values of the expectation
// and of more.
func (a args) fill(text string, more ...string) string {
	noted, _ := a.tl.Fact(a.Fact)
	ways := ""
	if len(a.Values) > 0 {
		ways = " as " + strings.Join(a.Values, " or ")
	}
	return strings.NewReplacer(append(more, "{from}", string(a.From), "{to}", string(a.To), "{max}", phrase.Duration(a.Max),
		"{versions}", strings.Join(a.Versions, " and "), "{values}", strings.Join(a.Values, " or "), "{ways}", ways,
		"{fact}", a.Fact, "{noted}", noted.Detail, "{old}", a.tl.Old, "{new}", a.tl.New)...).Replace(text)
}
