package suites_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/golden"
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
	scenario = regexp.MustCompile("`([a-z]+)/([a-z-]+)`")
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

// A guide that names a scenario, such as `rollout/single-surged`, leads to one.
func TestScenariosInGuidesAreThere(t *testing.T) {
	for name, text := range guides(t) {
		for _, m := range scenario.FindAllStringSubmatch(text, -1) {
			suite, id := m[1], m[2]
			if in := all()[suite]; in != nil && !slices.ContainsFunc(in, func(s harness.Scenario) bool { return s.ID == id }) {
				t.Errorf("%s: there is no scenario %s/%s", name, suite, id)
			}
		}
	}
}

func TestReadmeCountsTheScenariosOfEachProfile(t *testing.T) {
	for profile, called := range map[harness.Profile]string{
		harness.Smoke: "make smoke", harness.Core: "make conformance", harness.Full: "PROFILE=full make conformance",
	} {
		n := 0
		for _, scenarios := range suites.All() {
			for _, s := range scenarios {
				if s.In(profile) {
					n++
				}
			}
		}
		golden.Between(t, "../README.md", fmt.Sprintf("| `%s` (`%s`) | ", profile, called), " |", fmt.Sprint(n))
	}
}
