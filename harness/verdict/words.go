package verdict

import (
	"strings"

	"example.com/rollcall/harness/verdict/phrase"
)

// fillOf also puts in a verb about so many.
func (a asked) fillOf(n int, text string) string {
	if n == 1 {
		return a.fill(text, "{were}", "was")
	}
	return a.fill(text, "{were}", "were")
}

// fill puts what an expectation names, and more, in the place of names in braces in what a rule says, such as "later than {max} after
// {from} failed".
func (a asked) fill(text string, more ...string) string {
	noted, _ := a.tl.Fact(a.Fact)
	ways := ""
	if len(a.Values) > 0 {
		ways = " as " + strings.Join(a.Values, " or ")
	}
	return strings.NewReplacer(append(more, "{from}", string(a.From), "{to}", string(a.To), "{max}", phrase.Duration(a.Max),
		"{versions}", strings.Join(a.Versions, " and "), "{values}", strings.Join(a.Values, " or "), "{ways}", ways,
		"{fact}", a.Fact, "{noted}", noted.Detail, "{old}", a.tl.Old, "{new}", a.tl.New)...).Replace(text)
}
