package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"rollcall/harness/command"
	"strings"
)

// build compiles the programs into dir, the way their images are built. Which go.mod the working directory is
// under says where Rollcall is.
func build(ctx context.Context, dir string) error {
	mod, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return fmt.Errorf("find go.mod: %w", err)
	}
	root := filepath.Dir(strings.TrimSpace(string(mod)))
	if err := compile(ctx, root, dir, "rollcall/fixtures/echo", "rollcall/loadgen/agent"); err != nil {
		return err
	}
	return compile(ctx, filepath.Join(root, "loadgen", "bench", "competitors"), dir, "github.com/tsenart/vegeta/v12", "./fortio")
}

func compile(ctx context.Context, module, dir string, packages ...string) error {
	flags := []string{"-trimpath", "-buildvcs=false", `-ldflags "-s -w"`}
	return command.GoBuild{Module: module, Out: dir + "/", Packages: packages, Flags: flags}.Run(ctx)
}
