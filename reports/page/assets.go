package page

import (
	"embed"
	"encoding/json"
	"fmt"
	"html/template"

	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/reports"
)

//go:embed palette.css
var paletteStyle string

//go:embed page.css
var style string

//go:embed drawing.js overview.js timeline.js page.js
var scripts embed.FS

// assets holds the style and the script of a page, and the policy that lets a browser use them and nothing else.
type assets struct {
	Style  template.CSS
	Script template.JS
	Policy string
}

func loadAssets() (assets, error) {
	script, err := tables()
	if err != nil {
		return assets{}, err
	}
	for _, file := range []string{"drawing.js", "overview.js", "timeline.js", "page.js"} {
		text, err := scripts.ReadFile(file)
		if err != nil {
			return assets{}, fmt.Errorf("page: %w", err)
		}
		script += string(text)
	}
	return newAssets(script), nil
}

// newAssets returns assets with the style of the page and a script.
func newAssets(script string) assets {
	ui := assets{Style: template.CSS(paletteStyle + chartStyle() + style), Script: template.JS(script)}
	ui.Policy = fmt.Sprintf("default-src 'none'; script-src %s; style-src %s; base-uri 'none'; form-action 'none'",
		reports.PolicySource(string(ui.Script)), reports.PolicySource(string(ui.Style)))
	return ui
}

// tables returns what is the same in all charts, as a statement of JavaScript.
func tables() (string, error) {
	type request struct {
		Symbol string  `json:"symbol"`
		Below  float64 `json:"below"`
	}
	all := struct {
		Requests  map[string]request `json:"requests"` // by class
		TickSteps []float64          `json:"tickSteps"`
		TickWidth float64            `json:"tickWidth"`
		Letter    float64            `json:"letter"` // width
		Phases    []string           `json:"phases"` // of pods
		Known     []string           `json:"known"`  // how the pod of a request can be known
	}{Requests: map[string]request{}, TickSteps: tickSteps, TickWidth: tickWidth, Letter: letterWidth}
	for _, s := range requestShapes {
		all.Requests[s.Class] = request{s.Symbol, s.Below}
	}
	for phase := range timeline.PodGone + 1 {
		all.Phases = append(all.Phases, phase.String())
	}
	for source := range timeline.ByElimination + 1 {
		all.Known = append(all.Known, source.String())
	}
	data, err := json.Marshal(all)
	if err != nil {
		return "", fmt.Errorf("page: %w", err)
	}
	return "const tables = " + string(data) + ";\n", nil
}
