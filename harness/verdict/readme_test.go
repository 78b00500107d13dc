package verdict_test

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"example.com/rollcall/harness/golden"
	"example.com/rollcall/harness/verdict"
)

//go:generate go test . -update

const guide = "../README.md"

func TestRulesInTheGuide(t *testing.T) {
	golden.Section(t, "README.md", "rules", ruleTable(t))
}

// The guide shows how a rule is written by a short one.
func TestExampleInTheGuide(t *testing.T) {
	source, err := os.ReadFile("losses.go")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, begun := strings.Cut(string(source), "// NoLostReplies ")
	example, _, ended := strings.Cut(rest, "\n\n// NoHiddenRetries ")
	if !begun || !ended {
		t.Fatal("losses.go does not have no-lost-replies before no-hidden-retries")
	}
	golden.Section(t, "README.md", "example", "```go\n// NoLostReplies "+example+"\n```\n")
}

func TestReasonsInTheGuide(t *testing.T) {
	var b strings.Builder
	b.WriteString("| Reason | What was seen | What is then unknown |\n|---|---|---|\n")
	for _, r := range verdict.Reasons() {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", r.ID, r.When, r.NotDecided)
	}
	golden.Section(t, guide, "reasons", b.String())
}

func TestExcusesInTheGuide(t *testing.T) {
	var b strings.Builder
	b.WriteString("| What went wrong | It is excused where | Extra lateness allowed |\n|---|---|---|\n")
	for _, e := range verdict.Excuses() {
		fmt.Fprintf(&b, "| %s | %s | %v |\n", e.What, e.When, e.Period)
	}
	golden.Section(t, guide, "excuses", b.String())
}

func ruleTable(t *testing.T) string {
	t.Helper()
	constructors := constructorsByID(t)
	var b strings.Builder
	b.WriteString("| Rule | It promises that | It needs | It counts, each | Written as |\n|---|---|---|---|---|\n")
	for _, rule := range verdict.Rules() {
		c, ok := constructors[rule.ID]
		if !ok {
			t.Errorf("rule %s has no constructor of its name", rule.ID)
			continue
		}
		needs := string(rule.Lanes)
		if rule.Feature != "" {
			needs = strings.TrimPrefix(needs+", "+rule.Feature, ", ")
		}
		fmt.Fprintf(&b, "| [%s](%s) | %s | %s | %s | `%s` |\n", rule.ID, c.file, rule.Claim, cmp.Or(needs, "–"), rule.Unit,
			c.signature)
	}
	return b.String()
}

type constructor struct{ file, signature string }

// constructorsByID finds the exported function of each rule, which is named as its id is: MaxRuleLag for max-rule-lag.
func constructorsByID(t *testing.T) map[string]constructor {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		file, err := parser.ParseFile(set, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if file.Name.Name == "verdict" {
			files = append(files, file)
		}
	}
	page, err := doc.NewFromFiles(set, files, "harness/verdict")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]constructor{}
	funcs := page.Funcs
	for _, of := range page.Types { // go/doc lists a constructor with what it makes
		funcs = append(funcs, of.Funcs...)
	}
	for _, f := range funcs {
		var params bytes.Buffer
		if err := printer.Fprint(&params, set, &ast.FuncType{Params: f.Decl.Type.Params}); err != nil {
			t.Fatal(err)
		}
		found[kebab(f.Name)] = constructor{
			file:      set.Position(f.Decl.Pos()).Filename,
			signature: f.Name + strings.TrimPrefix(params.String(), "func"),
		}
	}
	return found
}

func kebab(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
