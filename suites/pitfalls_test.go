package suites_test

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

// Each scenario in the list exists, and each pitfall has a scenario and is listed once.
func TestPitfallsAreShown(t *testing.T) {
	text, err := os.ReadFile("PITFALLS.md")
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for suite, scenarios := range all() {
		for _, s := range scenarios {
			ids[suite+"/"+s.ID] = true
		}
	}
	scenario := regexp.MustCompile("`([a-z]+/[a-z-]+)`")
	for _, m := range scenario.FindAllStringSubmatch(string(text), -1) {
		if !ids[m[1]] {
			t.Errorf("there is no scenario %s", m[1])
		}
	}
	var pitfalls []string
	for _, row := range regexp.MustCompile(`(?m)^\| (P\d+) \|.*$`).FindAllStringSubmatch(string(text), -1) {
		if !scenario.MatchString(row[0]) {
			t.Errorf("%s is shown by no scenario", row[1])
		}
		if slices.Contains(pitfalls, row[1]) {
			t.Errorf("%s is listed twice", row[1])
		}
		pitfalls = append(pitfalls, row[1])
	}
	if len(pitfalls) < 22 {
		t.Errorf("%d pitfalls are shown", len(pitfalls))
	}
}
