package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	called   = regexp.MustCompile(`\brollcall ([a-z][a-z-]*)([^\n|&;#` + "`" + `]*)`)
	flagName = regexp.MustCompile(`(?:^|\s)--([a-z][a-z0-9-]*)`)
	named    = regexp.MustCompile("`--([a-z][a-z0-9-]*)[^`]*`")
	code     = regexp.MustCompile("(?s)```(?:sh|yaml)\n.*?```|`[^`\n]+`")
)

// Every command in the guides is there, and so is each of its options.
func TestGuidesNameCommandsThatAreThere(t *testing.T) {
	root := rootCommand()
	root.InitDefaultCompletionCmd("")
	known := map[string]bool{}
	for _, cmd := range root.Commands() {
		cmd.InitDefaultHelpFlag()
		for _, name := range flagName.FindAllStringSubmatch(cmd.Flags().FlagUsages(), -1) {
			known[name[1]] = true
		}
	}
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == "out" || entry.Name() == ".git"):
			return fs.SkipDir
		case filepath.Ext(path) != ".md":
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, part := range code.FindAllString(strings.ReplaceAll(string(text), "\\\n", ""), -1) {
			for _, call := range called.FindAllStringSubmatch(part, -1) {
				options, _, _ := strings.Cut(call[2], " -- ") // after it comes the command of rollcall during
				cmd, _, err := root.Find(append([]string{call[1]}, strings.Fields(options)...))
				if err != nil || cmd == root {
					t.Errorf("%s: there is no rollcall %s", path, call[1])
					continue
				}
				for _, name := range flagName.FindAllStringSubmatch(options, -1) {
					if cmd.Flags().Lookup(name[1]) == nil {
						t.Errorf("%s: rollcall %s has no option --%s", path, call[1], name[1])
					}
				}
			}
			for _, name := range named.FindAllStringSubmatch(part, -1) {
				if !known[name[1]] {
					t.Errorf("%s: no command has an option --%s", path, name[1])
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
