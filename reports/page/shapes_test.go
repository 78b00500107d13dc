package page

import (
	"strings"
	"testing"

	"example.com/rollcall/harness/evidence"
)

// Two faults can be told apart without colours.
func TestEachFaultHasAShape(t *testing.T) {
	seen := map[string]string{}
	for _, fault := range evidence.Faults() {
		s := requestShape(string(fault))
		if s.Class != string(fault) {
			t.Errorf("%s is drawn as %s", fault, s.Class)
		}
		look := s.Symbol + s.Style
		if other, taken := seen[look]; taken && requestShape(other).Below == s.Below {
			t.Errorf("%s looks like %s", fault, other)
		}
		seen[look] = string(fault)
	}
}

func TestNoTwoShapesHaveAClass(t *testing.T) {
	seen := map[string]bool{}
	light, _, _ := strings.Cut(chartStyle(), "@media")
	for line := range strings.Lines(light) {
		class, _, of := strings.Cut(line, " { --colour")
		if of && seen[class] {
			t.Errorf("%s is there twice", class)
		}
		seen[class] = of
	}
	if n := len(requestShapes); len(seen) < n {
		t.Errorf("the style has %d classes, and there are %d of requests alone", len(seen), n)
	}
}
