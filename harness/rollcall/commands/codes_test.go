package commands

import (
	"fmt"
	"strings"
	"testing"

	"example.com/rollcall/harness/golden"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/harness/verdict/phrase"
)

// Each code is of one thing, and says what causes it and what to do.
func TestCodes(t *testing.T) {
	ids := map[string]bool{}
	for i, c := range codes() {
		if i > 0 && codes()[i-1].Code == c.Code || ids[c.ID] {
			t.Errorf("%s %s is there twice", c.Code, c.ID)
		}
		if ids[c.ID] = true; c.Causes == "" || c.Do == "" && c.As == "" {
			t.Errorf("%s has no causes, or nothing to do", c.Code)
		}
		if other, ok := codeNamed(c.As); c.As != "" && (!ok || other.Code == c.Code) {
			t.Errorf("%s has the remedy of %q, which is not another code", c.Code, c.As)
		}
	}
}

// CODES.md has a section for each code.
func TestCodesInTheGuide(t *testing.T) {
	var b strings.Builder
	fmt.Fprintf(&b, `# Codes

Every rule, every reason for an inconclusive verdict, every advice to an app's owner, every limit of what a recording looked at and every
stage at which requests are lost has a
permanent code. Its section says what causes it, and what to do. `+"`rollcall explain CODE`"+` prints it. %s were of rules that
no scenario had: they are not given again.
`, strings.Join(verdict.RetiredCodes(), " and "))
	for _, c := range codes() {
		fmt.Fprintf(&b, "\n## %s %s\n", c.Code, c.ID)
		for _, text := range []string{"Causes: " + c.Causes, "Do: " + c.Remedy()} {
			for _, line := range phrase.Wrap(text, 140) {
				b.WriteString(line + "\n")
			}
		}
	}
	golden.File(t, "../../verdict/CODES.md", b.String())
}
