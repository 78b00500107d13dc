package commands

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
)

// calledAsPlugin reports whether a program is called as a plugin of kubectl: kubectl rollcall runs kubectl-rollcall.
func calledAsPlugin(program string) bool {
	return strings.HasPrefix(filepath.Base(program), "kubectl-rollcall")
}

// asPlugin has the help write commands as kubectl has them.
func asPlugin(root *cobra.Command) {
	var names []string
	for _, cmd := range root.Commands() {
		names = append(names, cmd.Name())
	}
	call := regexp.MustCompile(`(?m)(^|[\s("])(?:kubectl )?rollcall (` + strings.Join(names, "|") + `)\b`)
	root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl rollcall"}
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		var b bytes.Buffer
		out := cmd.OutOrStdout()
		cmd.SetOut(&b)
		help(cmd, args)
		cmd.SetOut(out)
		fmt.Fprint(out, call.ReplaceAllString(b.String(), "${1}kubectl rollcall $2"))
	})
}
