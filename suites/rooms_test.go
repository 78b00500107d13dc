package suites

import (
	"go/doc"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/rollcall/harness/golden"
	"example.com/rollcall/harness/verdict/phrase"
)

func TestRootHoldsWhatIsFixed(t *testing.T) {
	fixed := []string{"CONTRIBUTING.md", "LICENSE", "Makefile", "README.md", "fixtures", "go.mod", "go.sum", "harness", "kind-config.yaml",
		"loadgen", "reports", "suites"}
	tracked, err := exec.Command("git", "-C", "..", "ls-tree", "--name-only", "HEAD").Output()
	if err != nil {
		t.Skipf("this is not a checkout: %v", err)
	}
	for _, name := range strings.Fields(string(tracked)) {
		if !strings.HasPrefix(name, ".") && !slices.Contains(fixed, name) {
			t.Errorf("%s is in the root: remove it, or move it to where its like are", name)
		}
	}
}

// Where a newcomer looks for the packages of the harness, each has the beginning of its own comment, up to a colon or a full stop.
func TestRoomsAreNamed(t *testing.T) {
	folders, err := filepath.Glob("../harness/*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var list strings.Builder
	for _, file := range folders {
		source, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, "_test.go") || source.Doc == nil {
			continue
		}
		name := filepath.Base(filepath.Dir(file))
		says := strings.NewReplacer("Package ", "", "Command ", "", "[", "", "]", "").Replace(new(doc.Package).Synopsis(source.Doc.Text()))
		says, _, _ = strings.Cut(strings.TrimSuffix(says, "."), ":")
		lines := phrase.Wrap(says, 132)
		list.WriteString("//   - " + strings.Join(lines, "\n//     ") + "\n")
		if !strings.HasPrefix(says, name+" ") {
			t.Errorf("%s: it does not begin with %s", file, name)
		}
	}
	golden.Between(t, "../harness/doc.go", "The packages below it:\n//\n", "//\n// The words:", list.String())
}
