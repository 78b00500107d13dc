package usage

import (
	"errors"
	"fmt"
	"os"

	"sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// APIVersion is the apiVersion of every document.
const APIVersion = "rollcall/v1alpha1"

// A Head has the first fields of every document.
type Head struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

// Read reads the document of a kind in file into v, which embeds a Head. The error is one line that names the file
// and, if it is about a field, the path of the field.
func Read(file, kind string, v any) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("%s: cannot be read: %w", file, err)
	}
	var head Head
	if err := yaml.Unmarshal(data, &head); err != nil {
		return fmt.Errorf("%s: %s", file, OneLine(err))
	}
	if want := (Head{APIVersion, kind}); head != want {
		return fmt.Errorf("%s: kind %q of apiVersion %q: write kind: %s, apiVersion: %s", file, head.Kind, head.APIVersion, kind, APIVersion)
	}
	if err := Strict(data, v); err != nil {
		return fmt.Errorf("%s: %s", file, OneLine(err))
	}
	return nil
}

// Strict reads YAML into v and names the path of every field that v does not have.
func Strict(data []byte, v any) error {
	asJSON, err := yaml.YAMLToJSONStrict(data)
	if err != nil {
		return err
	}
	unknown, err := json.UnmarshalStrict(asJSON, v)
	return errors.Join(append(unknown, err)...)
}
