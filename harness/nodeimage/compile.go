package nodeimage

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"rollcall/harness/command"
)

// compile builds a part's programs into dir. They get a module of their own, because the modules
// of Kubernetes and etcd replace others by folders that a module zip does not have, and because
// their dependencies must not be ours.
func (b *builder) compile(ctx context.Context, p goPart, dir string) error {
	module, err := os.MkdirTemp(b.folder, "module-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(module)
	gomod, err := b.goMod(ctx, p)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(module, "go.mod"), []byte(gomod), 0o644); err != nil {
		return err
	}
	targets := make([]string, 0, len(p.Packages)+1)
	for _, pkg := range p.Packages {
		targets = append(targets, path.Join(p.Module, pkg))
	}
	if p.Main != "" {
		if err := os.MkdirAll(filepath.Join(module, p.Name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(module, p.Name, "main.go"), []byte(p.Main), 0o644); err != nil {
			return err
		}
		targets = append(targets, "./"+p.Name)
	}
	cgo := "CGO_ENABLED=0"
	if p.CGO {
		cgo = "CGO_ENABLED=1"
	}
	_, err = b.Run(ctx, command.Command{
		Line: fmt.Sprintf(`go build -p %d -trimpath -tags "%s" -ldflags "%s" -o %s/ %s`, cores(), p.Tags, p.LDFlags, dir, strings.Join(targets, " ")),
		Dir:  module,
		Env:  []string{cgo, "GOFLAGS=-mod=mod", "GOWORK=off"},
	})
	return err
}

// goMod is a go.mod that builds a part with exactly the versions its own go.mod says.
func (b *builder) goMod(ctx context.Context, p goPart) (string, error) {
	out, err := b.Run(ctx, command.Command{Line: fmt.Sprintf("go mod download -json %s@%s", p.Module, p.Version), Dir: b.folder})
	if err != nil {
		return "", err
	}
	var downloaded struct{ GoMod string }
	if err := json.Unmarshal([]byte(out), &downloaded); err != nil {
		return "", err
	}
	out, err = b.Run(ctx, command.Command{Line: "go mod edit -json " + downloaded.GoMod, Dir: b.folder})
	if err != nil {
		return "", err
	}
	type version struct{ Path, Version string }
	var edit struct {
		Go      string
		Godebug []struct{ Key, Value string }
		Replace []struct{ Old, New version }
	}
	if err := json.Unmarshal([]byte(out), &edit); err != nil {
		return "", err
	}
	var mod bytes.Buffer
	fmt.Fprintf(&mod, "module rollcall.local/%s\n\ngo %s\n\nrequire %s %s\n", p.Name, edit.Go, p.Module, p.Version)
	for _, g := range edit.Godebug {
		fmt.Fprintf(&mod, "godebug %s=%s\n", g.Key, g.Value)
	}
	for _, r := range edit.Replace {
		if strings.HasPrefix(r.New.Path, ".") {
			if p.Local == "" {
				return "", errors.New(p.Module + " replaces " + r.Old.Path + " by a folder, and the recipe names no version for it")
			}
			r.New = version{r.Old.Path, p.Local}
		}
		fmt.Fprintf(&mod, "replace %s => %s %s\n", strings.TrimSpace(r.Old.Path+" "+r.Old.Version), r.New.Path, r.New.Version)
	}
	return mod.String(), nil
}
