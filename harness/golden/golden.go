// Package golden compares what tests make with files of the repository: golden files in testdata, guides, and parts of guides that
// are made of Go values. With the flag -update a test writes the file instead; `go generate` calls tests so.
package golden

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write golden files, and the parts of guides that are made of Go values")

// Updating reports whether files are written: a test that then writes something else than it compares needs to know.
func Updating() bool { return *update }

// File compares a text with the file at path, or writes it there.
func File[Text ~string | ~[]byte](t testing.TB, path string, got Text) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(read(t, path), string(got)); diff != "" {
		t.Errorf("%s (-in the file +made by the test), go generate writes it:\n%s", path, diff)
	}
}

// Section compares a text with a section of a guide, or writes it there. The section is between the lines
//
//	<!-- name -->
//	<!-- /name -->
func Section(t testing.TB, path, name, got string) {
	t.Helper()
	before, _, after := cut(t, path, name)
	File(t, path, before+got+after)
}

// SectionOf returns the text of a section of a guide.
func SectionOf(t testing.TB, path, name string) string {
	t.Helper()
	_, section, _ := cut(t, path, name)
	return section
}

// cut returns the text of a section of a guide, and what is before and after it.
func cut(t testing.TB, path, name string) (before, section, after string) {
	t.Helper()
	begin, end := "<!-- "+name+" -->\n", "<!-- /"+name+" -->"
	before, rest, begun := strings.Cut(read(t, path), begin)
	section, after, ended := strings.Cut(rest, end)
	if !begun || !ended {
		t.Fatalf("%s has no section between %q and %q", path, begin, end)
	}
	return before + begin, section, end + after
}

func read(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v: go generate writes it", err)
	}
	return string(text)
}
