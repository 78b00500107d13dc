package page_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"rollcall/reports/page"
)

func nasty() page.Page {
	const text = "<script>alert(1)</script> | *x* \x1b[31m\u202e\n`y` {{.}} & \"z\""
	return page.Page{Title: text, Text: []string{text}, Sections: []page.Section{{Title: text, Text: []string{text}, Head: []string{text, text}, Rows: [][]string{{text, text}}}}}
}

func TestRecordedTextIsNeverMarkup(t *testing.T) {
	for name, write := range map[string]func(io.Writer, page.Page) error{"markdown": page.Markdown, "html": page.HTML} {
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
	if err := page.Markdown(&b, nasty()); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "\n| "); n != 2 {
		t.Errorf("%d lines of a table with a head and a row:\n%s", n, b.String())
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }
