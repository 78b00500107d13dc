package commands

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"example.com/rollcall/reports/model"
)

// Scripts of earlier releases say --needed.
func TestTheEarlierNameOfFix(t *testing.T) {
	for _, flag := range []string{"--fix", "--needed"} {
		cmd := tryCommand()
		if err := cmd.ParseFlags([]string{flag}); err != nil {
			t.Fatal(err)
		}
		if got := cmd.Flags().Lookup("fix").Value.String(); got != "true" {
			t.Errorf("%s: --fix is %s", flag, got)
		}
	}
	var help bytes.Buffer
	if code := Execute([]string{"try", "--help"}, &help, io.Discard); code != 0 || strings.Contains(help.String(), "\n      --needed") {
		t.Errorf("exit code %d, and the help lists it:\n%s", code, &help)
	}
}

func TestTheCommandThatAppliesAPatch(t *testing.T) {
	const of = "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: web, namespace: shop}\nspec: {}\n"
	for _, row := range []struct {
		sentence string
		patch    model.Patch
		want     string
	}{
		{"in its namespace", model.Patch{YAML: of}, "kubectl -n shop patch statefulset web '--patch-file=out/a b/patch.yaml'"},
		{"in that of the context", model.Patch{YAML: strings.Replace(of, ", namespace: shop", "", 1)},
			"kubectl patch statefulset web '--patch-file=out/a b/patch.yaml'"},
		{"one for the manifest alone", model.Patch{YAML: of, Follows: []string{"RC3006", "RC3009"}}, ""},
		{"one that names no object", model.Patch{YAML: "spec: {}\n"}, ""},
	} {
		if got := patchCommand(row.patch, "out/a b/patch.yaml"); got != row.want {
			t.Errorf("%s: %q, want %q", row.sentence, got, row.want)
		}
	}
}
