package suites

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The root holds what is fixed and nothing else: a file that a redirection made by mistake was there for weeks.
func TestRootHoldsWhatIsFixed(t *testing.T) {
	fixed := []string{"CONTRIBUTING.md", "LICENSE", "Makefile", "README.md", "fixtures", "go.mod", "go.sum", "harness", "kind-config.yaml",
		"loadgen", "out", "reports", "suites"}
	for _, name := range names(t, "..") {
		if !strings.HasPrefix(name, ".") && !slices.Contains(fixed, name) {
			t.Errorf("%s is in the root: remove it, or move it to where its like are", name)
		}
	}
}

// Each room of the harness is named where a newcomer looks for it, and no other is.
func TestRoomsAreNamed(t *testing.T) {
	text, err := os.ReadFile("../harness/doc.go")
	if err != nil {
		t.Fatal(err)
	}
	list, _, _ := strings.Cut(string(text), "The words:")
	rooms := regexp.MustCompile(`(?m)(?:^//   - |; )([a-z]+) `).FindAllStringSubmatch(list, -1)
	var named []string
	for _, room := range rooms {
		named = append(named, room[1])
	}
	for _, name := range names(t, "../harness") {
		info, err := os.Stat("../harness/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if info.IsDir() && !slices.Contains(named, name) {
			t.Errorf("harness/doc.go does not name %s", name)
		}
	}
	for _, name := range named {
		if _, err := os.Stat("../harness/" + name); err != nil {
			t.Errorf("harness/doc.go names %s: %v", name, err)
		}
	}
}

func names(t *testing.T, folder string) (all []string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		all = append(all, entry.Name())
	}
	return all
}
