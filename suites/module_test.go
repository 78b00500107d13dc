package suites_test

import (
	"errors"
	"go/format"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.com/rollcall/harness/layout"
)

// whereThePathStands returns the folder of a copy of the files that `make module` changes.
func whereThePathStands(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for path, text := range sourcesIn(t, root) {
		to := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// sourcesIn returns the files of Go, of its module, of the linter and of make.
func sourcesIn(t *testing.T, root string) map[string]string {
	t.Helper()
	return textsIn(t, root, func(name string) bool {
		return filepath.Ext(name) == ".go" || name == "go.mod" || name == ".golangci.yml" || name == "Makefile"
	})
}

func rename(t *testing.T, dir, path string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "make", "-C", dir, "module", "PATH="+path).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

func TestModuleIsRenamedAndBack(t *testing.T) {
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip(err)
	}
	const renamed = "go.example.org/a-team/measure"
	dir, was := whereThePathStands(t), layout.ModulePath()
	before := sourcesIn(t, dir)
	rename(t, dir, renamed)
	old := regexp.MustCompile(`(^|[^\w./-])` + regexp.QuoteMeta(was) + `(/(fixtures|harness|loadgen|reports|suites)\b|, desc:)`)
	for path, text := range sourcesIn(t, dir) {
		switch {
		case path == "go.mod" && !strings.HasPrefix(text, "module "+renamed+"\n"):
			t.Errorf("go.mod is of the %.60q", text)
		case old.MatchString(text):
			t.Errorf("%s names the module's old path: %s", path, old.FindString(text))
		case filepath.Ext(path) == ".go":
			if formatted, err := format.Source([]byte(text)); err != nil || string(formatted) != text {
				t.Errorf("%s is not as gofmt has it: %v", path, err)
			}
		}
	}
	rename(t, dir, was)
	for path, text := range sourcesIn(t, dir) {
		if text != before[path] {
			t.Errorf("%s is not what it was", path)
		}
	}
}

// Only the files that `make module` changes name the module's path, Go files only at the beginning of a quoted text, as in an
// import.
func TestPathOfTheModuleStandsNowhereElse(t *testing.T) {
	tracked, err := exec.Command("git", "-C", "..", "ls-files", "-z").Output()
	if err != nil {
		t.Skipf("this is not a checkout: %v", err)
	}
	module := regexp.QuoteMeta(layout.ModulePath())
	path := `(module ` + module + `\b[^./]|` + module + `/(fixtures|harness|loadgen|reports|suites)\b)`
	inText, inGo := regexp.MustCompile(`(^|[^\w./-])`+path), regexp.MustCompile(`(^|[^\w./"-])`+path)
	for _, file := range strings.Split(strings.TrimSuffix(string(tracked), "\x00"), "\x00") {
		names := inText
		switch {
		case file == "go.mod" || file == ".golangci.yml":
			continue
		case filepath.Ext(file) == ".go":
			names = inGo
		}
		text, err := os.ReadFile(filepath.Join("..", file))
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // a tracked file may have been removed
			t.Fatal(err)
		}
		if found := names.Find(text); found != nil {
			t.Errorf("%s names the module's path, which make module does not change there: %q", file, found)
		}
	}
}
