package page

import (
	"embed"
	"fmt"
	"html/template"
	"io"

	"github.com/tsenart/vegeta/v12/lib/plot"

	"example.com/rollcall/reports"
)

//go:embed drawing.css
var drawingStyle string

//go:embed page.css
var style string

//go:embed charts.js overview.js timeline.js page.js
var scripts embed.FS

// assets holds the style and the script of a page, and the policy that lets a browser use them and nothing else.
type assets struct {
	Style  template.CSS
	Script template.JS
	Policy string
}

func loadAssets() (assets, error) {
	chartStyle, err := chartAsset("uPlot.min.css")
	if err != nil {
		return assets{}, err
	}
	script, err := chartAsset("uPlot.min.js")
	if err != nil {
		return assets{}, err
	}
	for _, file := range []string{"charts.js", "overview.js", "timeline.js", "page.js"} {
		text, err := scripts.ReadFile(file)
		if err != nil {
			return assets{}, fmt.Errorf("page: %w", err)
		}
		script += "\n" + string(text)
	}
	return newAssets(chartStyle, script), nil
}

// newAssets returns assets with the style of the page after another one, and a script.
func newAssets(first, script string) assets {
	ui := assets{Style: template.CSS(first + "\n" + drawingStyle + disruptedStyle + style), Script: template.JS(script)}
	ui.Policy = fmt.Sprintf("default-src 'none'; script-src %s; style-src %s; base-uri 'none'; form-action 'none'",
		reports.PolicySource(string(ui.Script)), reports.PolicySource(string(ui.Style)))
	return ui
}

// chartAsset returns a file of uPlot, as vegeta embeds it.
func chartAsset(name string) (string, error) {
	f, err := plot.Assets.Open(name)
	if err != nil {
		return "", fmt.Errorf("page: open %s: %w", name, err)
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		return "", fmt.Errorf("page: read %s: %w", name, err)
	}
	return string(data), nil
}
