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
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.In = os.Stdin
			at := during.Terminal{Out: cmd.OutOrStdout(), Errors: cmd.ErrOrStderr()}
			return finish(tryApp(cmd.Context(), at, o))
		},
	}
	addFlags(cmd, o.List())
	cmd.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "needed" { // what it was called in earlier releases
			name = "fix"
		}
		return pflag.NormalizedName(name)
	})
	return cmd
}

// tryApp tries an app, and tests what check says of its manifests.
func tryApp(ctx context.Context, at during.Terminal, o try.Options) (int, error) {
	p, err := try.NewPlan(ctx, o, patchOf)
	if err != nil {
		return 0, err
	}
	found, err := foundBefore(p)
	if err != nil {
		return 0, err
	}
	if err := p.Print(at.Out); err != nil || o.DryRun {
		return 0, err
	}
	return p.Run(ctx, at, found.reportsOf)
}

// patchOf returns the patch that advice on a recording has; see [try.Advise].
func patchOf(rec kept.Recording) (patch string, follows []string) {
	if p := reports.PatchOf(rec); p != nil {
		return p.YAML, p.Follows
	}
	return "", nil
}
