package reports_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"html"
	"io"
	"strings"
	"testing"

	"example.com/rollcall/harness/golden"
	"example.com/rollcall/reports"
)

func TestSheets(t *testing.T) {
	p := reports.Sheet{Title: "Two runs", Text: []string{"Nothing got worse.", "a < b"}, Sections: []reports.Section{
		{Title: "Numbers", Text: []string{"as measured"}, Head: []string{"", "ms"}, Rows: [][]string{{"status gap", "5"}, {"rule lag", ""}}},
		{Title: "Words alone", Text: []string{"and more | words"}},
	}}
	for name, form := range map[string]func(io.Writer, reports.Sheet) error{
		"sheet.md": reports.SheetMarkdown, "sheet.html": reports.SheetHTML,
	} {
		var b bytes.Buffer
		if err := form(&b, p); err != nil {
			t.Fatal(err)
		}
		golden.File(t, "testdata/"+name, b.Bytes())
	}
}

// The policy allows only the page's own style, and the page has nothing else to load or run.
func TestAPageLoadsAndRunsNothing(t *testing.T) {
	var b bytes.Buffer
	if err := reports.SheetHTML(&b, nasty()); err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(b.String(), "<style>")
	style, _, _ := strings.Cut(after, "</style>")
	sum := sha256.Sum256([]byte(style))
	policy := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	if !strings.Contains(html.UnescapeString(b.String()), `content="`+policy+`"`) {
		t.Errorf("the policy is not %q:\n%s", policy, b.String())
	}
	for _, outside := range []string{"<script", "src=", "href=", "url(", "@import", "style="} {
		if strings.Contains(b.String(), outside) {
			t.Errorf("the page has %s", outside)
		}
	}
}

func nasty() reports.Sheet {
	const text = "<script>alert(1)</script> | *x* \x1b[31m\u202e\n`y` {{.}} & \"z\""
	return reports.Sheet{Title: text, Text: []string{text},
		Sections: []reports.Section{{Title: text, Text: []string{text}, Head: []string{text, text}, Rows: [][]string{{text, text}}}}}
}

func TestRecordedTextIsNeverMarkup(t *testing.T) {
	for name, write := range map[string]func(io.Writer, reports.Sheet) error{"markdown": reports.SheetMarkdown, "html": reports.SheetHTML} {
		var b bytes.Buffer
		if err := write(&b, nasty()); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); strings.Contains(got, "<script") || strings.ContainsAny(got, "\x1b\u202e") || !strings.Contains(got, "alert(1)") {
			t.Errorf("%s was spoiled:\n%s", name, got)
		}
		if err := write(full{}, nasty()); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("%s on a full disk: %v", name, err)
		}
	}
}

func TestATableHasALinePerRow(t *testing.T) {
	var b bytes.Buffer
	if err := reports.SheetMarkdown(&b, nasty()); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "\n| "); n != 2 {
		t.Errorf("%d lines of a table with a head and a row:\n%s", n, b.String())
	}
}
