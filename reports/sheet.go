package reports

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"

	"example.com/rollcall/harness/verdict/phrase"
)

// A Sheet is a title, paragraphs and sections with tables, for Markdown or for one self-contained HTML file without scripts. Its texts may
// be recorded ones: both writers escape them.
type Sheet struct {
	Title    string
	Text     []string // a paragraph each
	Sections []Section
}

// A Section has a heading, paragraphs and one table, any of which may be empty.
type Section struct {
	Title string
	Text  []string
	Head  []string // one per column
	Rows  [][]string
}

// Add adds those sections that have text or rows.
func (p *Sheet) Add(sections ...Section) {
	for _, s := range sections {
		if len(s.Text)+len(s.Rows) > 0 {
			p.Sections = append(p.Sections, s)
		}
	}
}

// SheetMarkdown writes a sheet as Markdown for GitHub.
func SheetMarkdown(w io.Writer, p Sheet) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n", Escape(p.Title))
	paragraphs(&b, p.Text)
	for _, s := range p.Sections {
		fmt.Fprintf(&b, "\n## %s\n", Escape(s.Title))
		paragraphs(&b, s.Text)
		if len(s.Rows) == 0 {
			continue
		}
		b.WriteString("\n" + Head(escaped(s.Head)...))
		for _, row := range s.Rows {
			b.WriteString(Row(escaped(row)...))
		}
	}
	return write(w, "markdown", b.Bytes())
}

func paragraphs(b *bytes.Buffer, text []string) {
	for _, paragraph := range text {
		fmt.Fprintf(b, "\n%s\n", Escape(paragraph))
	}
}

//go:embed sheet.css
var sheetStyle string

//go:embed sheet.html
var sheetForm string

// SheetHTML writes a sheet as one file that loads nothing and runs nothing: its policy allows only its own style.
func SheetHTML(w io.Writer, p Sheet) error {
	policy := "default-src 'none'; style-src " + PolicySource(sheetStyle)
	form := template.Must(template.New("page").Funcs(template.FuncMap{"line": phrase.Printable}).Parse(sheetForm))
	var b bytes.Buffer
	if err := form.Execute(&b, struct {
		Sheet
		Policy string
		Style  template.HTML
	}{p, policy, template.HTML("<style>" + sheetStyle + "</style>")}); err != nil {
		return fmt.Errorf("sheet: fill form: %w", err)
	}
	return write(w, "html", b.Bytes())
}

// PolicySource returns the hash by which a Content-Security-Policy allows an inline text.
func PolicySource(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
