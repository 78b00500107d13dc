package setup

import (
	"context"
	"os"
	"slices"
	"strings"

	"example.com/rollcall/harness/command"
)

// InstallMissing installs the Debian packages of the files that do not exist; files maps a path to its package.
func InstallMissing(ctx context.Context, files map[string]string) error {
	var missing []string
	for file, pkg := range files {
		if _, err := os.Stat(file); err != nil {
			missing = append(missing, pkg)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	slices.Sort(missing)
	return aptInstall(ctx, func(ctx context.Context, c command.Command) (string, error) { return c.Run(ctx) }, missing...)
}

// aptInstall installs Debian packages. When that fails it refreshes apt's lists, which may be old or empty, and tries again.
// It ignores the end of ctx: dpkg must not be killed half-way.
func aptInstall(ctx context.Context, run func(context.Context, command.Command) (string, error), packages ...string) error {
	ctx = context.WithoutCancel(ctx)
	install := command.Command{
		Line: "apt-get install --yes --no-install-recommends " + strings.Join(packages, " "),
		Env:  []string{"DEBIAN_FRONTEND=noninteractive"},
	}
	if _, err := run(ctx, install); err == nil {
		return nil
	}
	if _, err := run(ctx, command.Command{Line: "apt-get update"}); err != nil {
		return err
	}
	_, err := run(ctx, install)
	return err
}
