// Package page writes index.html: one file that shows what a rollout did to its clients, for a person
// with a browser and nothing else. It is drawn from the report and from the evidence beside it, asks
// no network for anything, and says so to the browser by its Content-Security-Policy. With scripts
// blocked the tables and a drawing of every timeline remain.
//
// All charts are drawn here, as SVG: the timeline ([chart.Drawing]), the strip of a long recording
// ([chart.Overview]) and the picture ([Picture]). The script shows a part of the time by the viewBox of
// what is drawn, moves labels and hides those without room, and shows what is under the pointer. One
// thing it draws again whenever that part changes: the requests that failed, of which a page of a
// million requests has ten thousand. Stretched they would lose their shapes. They are columns of the
// page's data, and the script has them from there and their shapes from the table that this program
// draws them from. How anything looks, and what the legends call it, is in shapes.go alone.
package page

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"sync"

	"example.com/rollcall/reports"
	"example.com/rollcall/reports/model"
)

const name = "index.html"

//go:embed shapes.svg.tmpl
var shapesMarkup string

//go:embed page.html.tmpl
var markup string

// A Page is the page about one run folder. It observes the making of the folder's report, so that no recording is read or joined for the
// page alone.
type Page struct {
	dir        string
	keeping    sync.Mutex           // guards recordings
	recordings map[string]recording // by folder of the evidence
}

// New returns a page about the run folder dir, for [reports.Collect].
func New(dir string) *Page { return &Page{dir: dir, recordings: map[string]recording{}} }

// File returns the page as a file for [reports.WriteFolder].
func (p *Page) File() reports.File { return reports.File{Name: name, Write: p.Write} }

// templates returns the template of the page, with the shapes that it is made of.
func templates() *template.Template {
	return template.Must(template.New(name).Funcs(funcs()).Parse(shapesMarkup + markup))
}

// Write writes the page about a report. Where a scenario's evidence was missing or damaged when it was loaded, the page says so in place of
// a drawing.
func (p *Page) Write(w io.Writer, r model.Report) error {
	ui, err := loadAssets()
	if err != nil {
		return err
	}
	if err := templates().Execute(w, newView(p.recordings, r, ui)); err != nil {
		return fmt.Errorf("page: write %s: %w", name, err)
	}
	return nil
}
