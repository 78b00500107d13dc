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
	begin, end := marks(name)
	Between(t, path, begin, end, got)
}

// SectionOf returns the text of a section of a guide.
func SectionOf(t testing.TB, path, name string) string {
	t.Helper()
	begin, end := marks(name)
	_, section, _ := cut(t, path, begin, end)
	return section
}

func marks(name string) (begin, end string) {
	return "<!-- " + name + " -->\n", "<!-- /" + name + " -->"
}

// Between compares a text with what is between two texts of a file that has no comments to mark sections, or writes it there.
func Between(t testing.TB, path, begin, end, got string) {
	t.Helper()
	before, _, after := cut(t, path, begin, end)
	File(t, path, before+got+after)
}

// cut returns what is between two texts of a file, and what is before and after it, with these texts.
func cut(t testing.TB, path, begin, end string) (before, section, after string) {
	t.Helper()
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
