// Package page writes index.html: one file that shows what a rollout did to its clients, for a person
// with a browser and nothing else. It is drawn from the report and from the evidence beside it, asks
// no network for anything, and says so to the browser by its Content-Security-Policy. With scripts
// blocked the tables and a drawing of every timeline remain.
package page

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"

	"rollcall/reports"
	"rollcall/reports/model"
)

const name = "index.html"

//go:embed shapes.svg.tmpl
var shapesMarkup string

//go:embed page.html.tmpl
var markup string

// File is the page of the run folder dir, for reports.WriteFolder.
func File(dir string) reports.File { return reports.File{Name: name, Write: Of(dir)} }

// Of gives the writer of the page about the run folder dir, whose evidence it reads. What of it is missing or
// damaged the page says, in place of what it would have drawn.
func Of(dir string) reports.Writer {
	return func(w io.Writer, r model.Report) error {
		ui, err := loadAssets()
		if err != nil {
			return err
		}
		t, err := template.New(name).Funcs(words()).Parse(shapesMarkup + markup)
		if err != nil {
			return fmt.Errorf("page: parse template: %w", err)
		}
		if err := t.Execute(w, newView(dir, r, ui)); err != nil {
			return fmt.Errorf("page: write %s: %w", name, err)
		}
		return nil
	}
}
