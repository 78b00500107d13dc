package suites

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestRootHoldsWhatIsFixed(t *testing.T) {
	fixed := []string{"CONTRIBUTING.md", "LICENSE", "Makefile", "README.md", "fixtures", "go.mod", "go.sum", "harness", "kind-config.yaml",
		"loadgen", "reports", "suites"}
	tracked, err := exec.Command("git", "-C", "..", "ls-tree", "--name-only", "HEAD").Output()
	if err != nil {
		t.Skipf("this is no checkout: %v", err)
	}
	for _, name := range strings.Fields(string(tracked)) {
		if !strings.HasPrefix(name, ".") && !slices.Contains(fixed, name) {
			t.Errorf("%s is in the root: remove it, or move it to where its like are", name)
		}
	}
}

// Exactly the folders of the harness are named where a newcomer looks for them.
func TestRoomsAreNamed(t *testing.T) {
	text, err := os.ReadFile("../harness/doc.go")
	if err != nil {
		t.Fatal(err)
	}
	list, _, _ := strings.Cut(string(text), "The words:")
	var named []string
	for _, room := range regexp.MustCompile(`(?m)(?:^//   - |; )([a-z]+) `).FindAllStringSubmatch(list, -1) {
		named = append(named, room[1])
	}
	slices.Sort(named)
	named = slices.Compact(named)
	entries, err := os.ReadDir("../harness")
	if err != nil {
		t.Fatal(err)
	}
	var rooms []string
	for _, entry := range entries {
		if entry.IsDir() {
			rooms = append(rooms, entry.Name())
		}
	}
	if !slices.Equal(named, rooms) {
		t.Errorf("harness/doc.go names %v\nthere are %v", named, rooms)
	}
}
