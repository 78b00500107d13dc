package commands

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestPluginIsKnownByItsName(t *testing.T) {
	for _, row := range []struct {
		sentence, program string
		plugin            bool
	}{
		{"called by kubectl", "krew/bin/kubectl-rollcall", true},
		{"called by kubectl on Windows", "kubectl-rollcall.exe", true},
		{"called by its own name", "out/bin/rollcall", false},
		{"in a folder of that name", "kubectl-rollcall/rollcall", false},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			if got := calledAsPlugin(row.program); got != row.plugin {
				t.Errorf("%s is a plugin: %v", row.program, got)
			}
		})
	}
}

// Each call in the help of every command can be typed as it is.
func TestHelpOfThePluginCallsKubectl(t *testing.T) {
	root := rootCommand()
	asPlugin(root)
	bare := regexp.MustCompile(`(?m)(?:^|[^l]) rollcall [a-z]+|^rollcall [a-z]+|kubectl kubectl`)
	var each func(*cobra.Command)
	each = func(cmd *cobra.Command) {
		var help bytes.Buffer
		cmd.SetOut(&help)
		if err := cmd.Help(); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(help.String(), "\n  kubectl rollcall") {
			t.Errorf("%s: nothing is said to be called by kubectl:\n%s", cmd.CommandPath(), help.String())
		}
		for _, call := range bare.FindAllString(help.String(), -1) {
			t.Errorf("%s: help calls %q", cmd.CommandPath(), call)
		}
		for _, sub := range cmd.Commands() {
			each(sub)
		}
	}
	each(root)
}
