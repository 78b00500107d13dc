package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

const guide = "# Fruit\n<!-- red -->\napple\n<!-- /red -->\n<!-- yellow -->\n<!-- /yellow -->\nThe end.\n"

func TestFiles(t *testing.T) {
	for _, row := range []struct {
		sentence string
		update   bool
		compare  func(testing.TB, string)
		want     string // the file afterwards
		reports  string
	}{
		{"a text that is in the file passes", false, func(t testing.TB, file string) { File(t, file, guide) }, guide, ""},
		{"another text fails", false, func(t testing.TB, file string) { File(t, file, "# Trees\n") }, guide, "# Trees"},
		{"another text is written with -update", true, func(t testing.TB, file string) { File(t, file, []byte("# Trees\n")) }, "# Trees\n", ""},
		{"a file that is missing fails", false, func(t testing.TB, file string) { File(t, file+".txt", "") }, guide, "go generate writes it"},
		{"a section that is in the guide passes", false, func(t testing.TB, file string) { Section(t, file, "red", "apple\n") }, guide, ""},
		{"another section fails", false, func(t testing.TB, file string) { Section(t, file, "yellow", "lemon\n") }, guide, "lemon"},
		{"a section is written with -update, and the rest stays", true, func(t testing.TB, file string) { Section(t, file, "yellow", "lemon\n") },
			strings.Replace(guide, "<!-- /yellow -->", "lemon\n<!-- /yellow -->", 1), ""},
		{"what is between two texts is written with -update, and they stay", true,
			func(t testing.TB, file string) { Between(t, file, "# ", "\n", "Vegetables") }, strings.Replace(guide, "Fruit", "Vegetables", 1), ""},
		{"a section that the guide lacks fails, also with -update", true, func(t testing.TB, file string) { Section(t, file, "blue", "plum\n") },
			guide, "has no section"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "guide.md")
			if err := os.WriteFile(file, []byte(guide), 0o600); err != nil {
				t.Fatal(err)
			}
			before := *update
			t.Cleanup(func() { *update = before })
			*update = row.update
			reported := failureOf(t, func(t testing.TB) { row.compare(t, file) })
			if (reported == "") != (row.reports == "") || !strings.Contains(reported, row.reports) {
				t.Errorf("it reports %q", reported)
			}
			if got := read(t, file); got != row.want {
				t.Errorf("the file is\n%s", got)
			}
		})
	}
}

func TestSectionOf(t *testing.T) {
	file := filepath.Join(t.TempDir(), "guide.md")
	if err := os.WriteFile(file, []byte(guide), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := SectionOf(t, file, "red"); got != "apple\n" {
		t.Errorf("it has %q", got)
	}
}

// failureOf returns what a test reports when it fails.
func failureOf(t *testing.T, test func(testing.TB)) string {
	failed := &failing{TB: t}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		test(failed)
	}()
	<-ended
	return failed.reported
}

type failing struct {
	testing.TB
	reported string
}

func (f *failing) Errorf(form string, args ...any) { f.reported += fmt.Sprintf(form, args...) }

func (f *failing) Fatalf(form string, args ...any) {
	f.Errorf(form, args...)
	runtime.Goexit()
}
