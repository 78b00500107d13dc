package suites_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"example.com/rollcall/harness"
	"example.com/rollcall/suites"
)

// guides returns the Markdown files of the repository that people wrote, by path from its root.
func guides(t *testing.T) map[string]string {
	t.Helper()
	return textsIn(t, root, func(name string) bool { return filepath.Ext(name) == ".md" })
}

var (
	snippet  = regexp.MustCompile("(?s)(<!-- example -->\n)?(?:<!-- from (\\S+) -->\n)?```(\\w*)\n(.*?)```\n")
	link     = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading  = regexp.MustCompile(`(?m)^#+ (.*)$`)
	unlinked = regexp.MustCompile(`[^\w\- ]`)
	makeVerb = regexp.MustCompile(`\bmake ([a-z][a-z-]*)`)
	target   = regexp.MustCompile(`(?m)^([a-z][a-z-]*):`)
)

// A Go example has to come from a file that is compiled, and every example that names a file has to be in that file.
func TestExamplesAreOfTheCode(t *testing.T) {
	for name, text := range guides(t) {
		for _, s := range snippet.FindAllStringSubmatch(text, -1) {
			generated, file, language, example := s[1] != "", s[2], s[3], s[4]
			if file == "" {
				if language == "go" && !generated {
					t.Errorf("%s does not say from which file this is:\n%s", name, example)
				}
				continue
			}
			source, err := os.ReadFile(filepath.Join(root, file))
			if err != nil {
				t.Errorf("%s: %v", name, err)
			} else if !strings.Contains(string(source), example) {
				t.Errorf("%s shows what %s does not have:\n%s", name, file, example)
			}
		}
	}
}

func TestLinksLeadSomewhere(t *testing.T) {
	texts := guides(t)
	for name, text := range texts {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			path, fragment, _ := strings.Cut(m[1], "#")
			if strings.Contains(path, "://") {
				continue
			}
			to := name
			if path != "" {
				to = filepath.ToSlash(filepath.Join(filepath.Dir(name), path))
			}
			if _, err := os.Stat(filepath.Join(root, to)); err != nil {
				t.Errorf("%s: %v", name, err)
			} else if fragment != "" && !anchors(texts[to])[fragment] {
				t.Errorf("%s: %s has no heading #%s", name, to, fragment)
			}
		}
	}
}

// anchors returns the anchors of a Markdown file's headings.
func anchors(text string) map[string]bool {
	all := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		all[strings.ReplaceAll(unlinked.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")] = true
	}
	return all
}

func TestMakeTargetsAreThere(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, m := range target.FindAllStringSubmatch(string(makefile), -1) {
		known[m[1]] = true
	}
	for name, text := range guides(t) {
		for _, code := range regexp.MustCompile("(?s)```sh\n.*?```|`[^`\n]+`").FindAllString(text, -1) {
			for _, m := range makeVerb.FindAllStringSubmatch(code, -1) {
				if !known[m[1]] {
					t.Errorf("%s: there is no make %s", name, m[1])
				}
			}
		}
	}
}

// Guides are also read in terminals and diffs; the README fits on one or two screens of a browser.
func TestGuidesAreShort(t *testing.T) {
	const widest, longest = 160, 12 << 10
	for name, text := range guides(t) {
		for i, line := range strings.Split(text, "\n") {
			if n := utf8.RuneCountInString(line); n > widest && !strings.HasPrefix(line, "|") {
				t.Errorf("%s:%d has %d columns, %d are allowed outside tables", name, i+1, n, widest)
			}
		}
		if name == "README.md" && len(text) > longest {
			t.Errorf("%s has %d bytes, %d are allowed", name, len(text), longest)
		}
	}
}

func TestReadmeCountsTheScenariosOfEachProfile(t *testing.T) {
	readme := guides(t)["README.md"]
	for _, profile := range []harness.Profile{harness.Smoke, harness.Core, harness.Full} {
		n := 0
		for _, scenarios := range suites.All() {
			for _, s := range scenarios {
				if s.In(profile) {
					n++
				}
			}
		}
		row := regexp.MustCompile(fmt.Sprintf("(?m)^\\| `%s` .* \\| (\\d+) \\|", profile)).FindStringSubmatch(readme)
		if row == nil || row[1] != fmt.Sprint(n) {
			t.Errorf("profile %s has %d scenarios, README.md has the row %q", profile, n, row)
		}
	}
}
