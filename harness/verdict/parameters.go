package verdict

import (
	"fmt"

	"example.com/rollcall/harness/timeline"
)

// unless returns a function for Rule.lack: it returns a text if the timeline does not satisfy a condition.
func unless(holds func(timeline.Timeline) bool, lack string) func(args) string {
	return func(a args) string {
		if holds(a.tl) {
			return ""
		}
		return lack
	}
}

// The functions below return what is wrong with an expectation's parameters; empty: nothing.

// noneOf returns a text if n is 0.
func noneOf(n int, lack string) string {
	if n > 0 {
		return ""
	}
	return lack
}

func takesOne(a args) string {
	if len(a.Versions) == 1 {
		return ""
	}
	return fmt.Sprintf("the rule takes 1 version, got %d", len(a.Versions))
}

func namesNone(list []string, of string) string {
	if len(list) > 0 {
		return ""
	}
	return fmt.Sprintf("the rule names 0 %s, so it expects nothing", of)
}

func outside(of string, n, most int) string {
	if 1 <= n && n <= most {
		return ""
	}
	return fmt.Sprintf("the rule takes 1 to %d %s, got %d", most, of, n)
}
