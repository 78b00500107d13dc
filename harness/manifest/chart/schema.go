package chart

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	helm "helm.sh/helm/v4/pkg/chart/v2"
)

// A misfit says which values a chart's schema does not allow.
type misfit struct{ chart, says string }

func (m *misfit) Error() string {
	return fmt.Sprintf("values.schema.json of %s does not allow its values: %s", m.chart, m.says)
}

// fits returns a [misfit] unless the values fit the schemas of a chart and of those that it depends on.
func fits(c *helm.Chart, values map[string]any) error {
	if len(c.Schema) > 0 {
		if err := fitsSchema(c.Schema, values); err != nil {
			return &misfit{c.Name(), saidBy(err)}
		}
	}
	for _, d := range c.Dependencies() {
		of := values[d.Name()]
		below, is := of.(map[string]any)
		switch {
		case of == nil:
			continue
		case !is:
			return &misfit{c.Name(), fmt.Sprintf("%s is no object", d.Name())}
		}
		if err := fits(d, below); err != nil {
			return err
		}
	}
	return nil
}

// fitsSchema validates values as Helm does (pkg/chart/common/util, jsonschema.go), but for parts of a schema that are elsewhere on the
// network, which allow anything.
func fitsSchema(text []byte, values map[string]any) error {
	const name = "file:///values.schema.json"
	content, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(jsonschema.SchemeURLLoader{"file": jsonschema.FileLoader{}, "http": anything{}, "https": anything{}, "urn": anything{}})
	if err := compiler.AddResource(name, content); err != nil {
		return err
	}
	schema, err := compiler.Compile(name)
	if err != nil {
		return err
	}
	return schema.Validate(values)
}

// anything loads a schema that allows anything.
type anything struct{}

func (anything) Load(string) (any, error) { return true, nil }

// saidBy returns an error in one line; of values that do not fit, each with its path.
func saidBy(err error) string {
	lines := strings.Split(err.Error(), "\n")
	if wrong := (*jsonschema.ValidationError)(nil); errors.As(err, &wrong) {
		lines = lines[1:] // the first names the schema
	}
	for i := range lines {
		lines[i] = strings.TrimPrefix(strings.TrimSpace(lines[i]), "- ")
	}
	return strings.ReplaceAll(strings.Join(lines, "; "), "at ''", "at the top")
}
