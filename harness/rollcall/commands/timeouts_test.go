package commands

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/rollcall/harness/golden"
	"example.com/rollcall/harness/verdict/phrase"
)

// A timeLimit is a constant of a file timeouts.go.
type timeLimit struct {
	folder, name, bounds string
	value                time.Duration
}

// The list that the program prints has every time limit of every file timeouts.go.
func TestTimeLimitsAreListed(t *testing.T) {
	var b strings.Builder
	folder := ""
	for _, l := range timeLimits(t) {
		if l.folder != folder {
			fmt.Fprintf(&b, "%s\n", l.folder)
		}
		folder = l.folder
		for i, line := range phrase.Wrap(l.bounds, 120-2-20-6) {
			if i == 0 {
				fmt.Fprintf(&b, "  %-20s%-6s%s\n", l.name, short(l.value), line)
			} else {
				fmt.Fprintf(&b, "%28s%s\n", "", line)
			}
		}
	}
	golden.File(t, "timeouts.txt", b.String())
	var out bytes.Buffer
	if code := Execute([]string{"list", "--timeouts"}, &out, io.Discard); code != 0 || out.String() != b.String() && !golden.Updating() {
		t.Errorf("exit code %d, it prints\n%s", code, &out)
	}
}

// short returns a duration without units of which there are none.
func short(d time.Duration) string {
	text := d.String()
	for _, none := range []string{"m0s", "h0m"} {
		if before, found := strings.CutSuffix(text, none); found {
			text = before + none[:1]
		}
	}
	return text
}

// timeLimits returns the limits of all packages, by folder.
func timeLimits(t *testing.T) (all []timeLimit) {
	link := regexp.MustCompile(`\[([\w.]+)\]`)
	for path, file := range parsedFiles(t) {
		if filepath.Base(path) != timeouts {
			continue
		}
		values := map[string]time.Duration{}
		for _, spec := range constantsOf(file) {
			name, comment := spec.Names[0].Name, cmp.Or(spec.Doc.Text(), spec.Comment.Text())
			if comment == "" {
				t.Errorf("%s: %s has no comment that says what it bounds", path, name)
			}
			value, known := durationOf(spec.Values[0], values)
			if !known {
				t.Errorf("%s: %s is not a number of seconds, minutes or hours", path, name)
			}
			values[name] = value
			all = append(all, timeLimit{filepath.Dir(path), name, link.ReplaceAllString(comment, "$1"), value})
		}
	}
	slices.SortStableFunc(all, func(a, b timeLimit) int { return strings.Compare(a.folder, b.folder) })
	return all
}

// timeouts is the name of the files with the time limits of a package.
const timeouts = "timeouts.go"

// What bounds a wait stands in timeouts.go of its package: no other file has a duration for it. The times of scenarios are a part of what
// they claim, and periods are not limits.
func TestTimeLimitsStandInOneFile(t *testing.T) {
	elsewhere := map[string]map[string]bool{} // by folder, the names of durations that stand in other files
	all := parsedFiles(t)
	for path, file := range all {
		folder := filepath.Dir(path)
		if elsewhere[folder] == nil {
			elsewhere[folder] = map[string]bool{}
		}
		for _, spec := range constantsOf(file) {
			for i, value := range spec.Values {
				if name := spec.Names[i].Name; filepath.Base(path) != timeouts && namesUnit(value) && !strings.HasSuffix(name, "Every") {
					elsewhere[folder][name] = true
				}
			}
		}
	}
	limit := regexp.MustCompile(`(?i)(timeout|limit|deadline)$`)
	for path, file := range all {
		if filepath.Base(path) == timeouts {
			continue
		}
		for name, value := range limitsIn(file) {
			named := false
			ast.Inspect(value, func(n ast.Node) bool {
				id, is := n.(*ast.Ident)
				named = named || is && elsewhere[filepath.Dir(path)][id.Name]
				return !named
			})
			if named || namesUnit(value) {
				t.Errorf("%s: what is given to %s belongs into %s", path, name, timeouts)
			}
		}
		for _, spec := range constantsOf(file) {
			for i, value := range spec.Values {
				if name := spec.Names[i].Name; limit.MatchString(name) && namesUnit(value) {
					t.Errorf("%s: %s belongs into %s", path, name, timeouts)
				}
			}
		}
	}
}

// limitsIn yields the expressions of a file that bound a wait, each with what takes it.
func limitsIn(file *ast.File) func(yield func(string, ast.Expr) bool) {
	takes := func(name string) bool { return strings.HasSuffix(name, "Timeout") || name == "WaitDelay" }
	return func(yield func(string, ast.Expr) bool) {
		more := true
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if of, is := n.Fun.(*ast.SelectorExpr); is && strings.HasPrefix(of.Sel.Name, "WithTimeout") {
					more = more && yield("context."+of.Sel.Name, n.Args[1])
				}
			case *ast.KeyValueExpr:
				if key, is := n.Key.(*ast.Ident); is && takes(key.Name) {
					more = more && yield(key.Name, n.Value)
				}
			case *ast.AssignStmt:
				if to, is := n.Lhs[0].(*ast.SelectorExpr); is && takes(to.Sel.Name) {
					more = more && yield(to.Sel.Name, n.Rhs[0])
				}
			}
			return more
		})
	}
}

// parsedFiles returns the files of the program, by path from the root, without tests and the scenarios of suites.
func parsedFiles(t *testing.T) map[string]*ast.File {
	t.Helper()
	const root = "../../.."
	all := map[string]*ast.File{}
	for _, top := range []string{"fixtures", "harness", "loadgen", "reports"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && entry.Name() == "testdata":
				return fs.SkipDir
			case filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			all[strings.TrimPrefix(filepath.ToSlash(path), root+"/")], err = parser.ParseFile(token.NewFileSet(), path, text, parser.ParseComments)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// constantsOf returns the constants and variables of a file outside functions.
func constantsOf(file *ast.File) (all []*ast.ValueSpec) {
	for _, decl := range file.Decls {
		if group, is := decl.(*ast.GenDecl); is {
			for _, spec := range group.Specs {
				if value, is := spec.(*ast.ValueSpec); is {
					all = append(all, value)
				}
			}
		}
	}
	return all
}

var units = map[string]time.Duration{"Millisecond": time.Millisecond, "Second": time.Second, "Minute": time.Minute, "Hour": time.Hour}

// namesUnit reports whether an expression has a unit of time, such as time.Second, outside functions.
func namesUnit(x ast.Expr) (named bool) {
	ast.Inspect(x, func(n ast.Node) bool {
		if _, is := n.(*ast.FuncLit); is {
			return false
		}
		of, is := n.(*ast.SelectorExpr)
		named = named || is && units[of.Sel.Name] > 0
		return !named
	})
	return named
}

// durationOf returns the value of an expression such as 2*time.Minute or half/2, of values that are known.
func durationOf(x ast.Expr, known map[string]time.Duration) (time.Duration, bool) {
	switch x := x.(type) {
	case *ast.BasicLit:
		n, err := strconv.Atoi(x.Value)
		return time.Duration(n), err == nil
	case *ast.Ident:
		value, ok := known[x.Name]
		return value, ok
	case *ast.SelectorExpr:
		return units[x.Sel.Name], units[x.Sel.Name] > 0
	case *ast.BinaryExpr:
		a, one := durationOf(x.X, known)
		b, other := durationOf(x.Y, known)
		return a * b, one && other && x.Op == token.MUL
	}
	return 0, false
}

func TestTimeLimitsAreTextAlone(t *testing.T) {
	var stderr bytes.Buffer
	if code := Execute([]string{"list", "--timeouts", "-o", "json"}, io.Discard, &stderr); code != exitUsage ||
		!strings.Contains(stderr.String(), "leave -o out") {
		t.Errorf("exit code %d: %s", code, &stderr)
	}
}
