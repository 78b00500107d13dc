package try

import (
	"example.com/rollcall/harness/during"
	"example.com/rollcall/harness/verdict/kept"
)

// A charted looks whether the advice on a workload that a chart renders has a patch: whoever follows it changes the chart.
type charted struct {
	advise  Advise
	patched bool
}

// looking returns what to call with a recording, beside another.
func (c *charted) looking(other during.Judged) during.Judged {
	return func(rec kept.Recording, unfinished string) {
		if patch, _ := c.advise(rec); patch != "" {
			c.patched = true
		}
		if other != nil {
			other(rec, unfinished)
		}
	}
}

func (c *charted) result() string {
	if !c.patched {
		return ""
	}
	return "the patch is of what the chart renders: change the template, or its values"
}
