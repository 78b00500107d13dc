package commands

import (
	"context"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/rollcall/harness/during"
	"example.com/rollcall/harness/try"
	"example.com/rollcall/harness/verdict/kept"
	"example.com/rollcall/reports"
)

func tryCommand() *cobra.Command {
	o := try.Options{}
	cmd := &cobra.Command{
		Use:   "try -f FILES [flags]",
		Short: "Roll out an app of yours by its manifests, and say what that costs its clients",
		Args:  noArgs(func(word string) string { return "-f " + word }),
	}
	addFlags(cmd, o.List())
	out := addOutput(cmd, asText, asJSON, asYAML)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		o.In = os.Stdin
		at := during.Terminal{Out: out.said(cmd), Errors: cmd.ErrOrStderr()}
		tried, code, err := tryApp(cmd.Context(), at, o)
		if err == nil && !out.isText() {
			err = out.print(cmd.OutOrStdout(), tried, nil)
		}
		return finish(code, err)
	}
	cmd.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "needed" { // what it was called in earlier releases
			name = "fix"
		}
		return pflag.NormalizedName(name)
	})
	return cmd
}

// A tried is what a try found, for a script.
type tried struct {
	Plan   []try.Line   `json:"plan"`             // what was found in the manifests, and what is done
	Result *underResult `json:"result,omitempty"` // absent with --dry-run
}

// tryApp tries an app, and tests what check says of its manifests. It returns the exit code.
func tryApp(ctx context.Context, at during.Terminal, o try.Options) (t tried, code int, err error) {
	p, err := try.NewPlan(ctx, o, patchOf)
	if err != nil {
		return t, 0, err
	}
	found, err := foundBefore(p)
	if err != nil {
		return t, 0, err
	}
	t.Plan = p.Lines()
	if err := p.Print(at.Out); err != nil || o.DryRun {
		return t, 0, err
	}
	folder := ""
	code, err = p.Run(ctx, at, noting(&folder, found.reportsOf))
	if err == nil {
		t.Result, err = resultOf(folder, code)
	}
	return t, code, err
}

// patchOf returns the patch that advice on a recording has; see [try.Advise].
func patchOf(rec kept.Recording) (patch string, follows []string) {
	if p := reports.PatchOf(rec); p != nil {
		return p.YAML, p.Follows
	}
	return "", nil
}
