package usage_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/rollcall/harness/usage"
)

type menu struct {
	usage.Head `json:",inline"`
	Dishes     []struct {
		Name string `json:"name"`
	} `json:"dishes"`
}

func TestRead(t *testing.T) {
	const head = "apiVersion: rollcall/v1alpha1\nkind: Menu\n"
	for _, row := range []struct{ sentence, text, err string }{
		{"what is written is read", head + "dishes: [{name: soup}]", ""},
		{"a misspelt field is named with its path", head + "dishes: [{name: soup}, {nome: rice}]", `unknown field "dishes[1].nome"`},
		{"a field that stands twice is not a choice", head + "dishes: []\ndishes: []", "already set"},
		{"what is not YAML", "a: [", "yaml"},
		{"another kind", "apiVersion: rollcall/v1alpha1\nkind: Bill\n", `kind "Bill" of apiVersion "rollcall/v1alpha1": write kind: Menu`},
		{"a version of the future", "apiVersion: rollcall/v2\nkind: Menu\n", `write kind: Menu, apiVersion: rollcall/v1alpha1`},
		{"an empty file", "", `kind ""`},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "menu.yaml")
			if err := os.WriteFile(file, []byte(row.text), 0o600); err != nil {
				t.Fatal(err)
			}
			var m menu
			err := usage.Read(file, "Menu", &m)
			if row.err == "" {
				if err != nil || len(m.Dishes) != 1 || m.Dishes[0].Name != "soup" {
					t.Errorf("%+v, %v", m, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), row.err) || !strings.HasPrefix(err.Error(), file+": ") ||
				strings.Contains(err.Error(), "\n") {
				t.Errorf("%v", err)
			}
		})
	}
	if err := usage.Read("nowhere.yaml", "Menu", &menu{}); err == nil || !strings.HasPrefix(err.Error(), "nowhere.yaml: cannot be read") {
		t.Errorf("%v", err)
	}
}
