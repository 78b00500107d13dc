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

	"golang.org/x/mod/modfile"

	"example.com/rollcall/harness/command"
)

// A module is the folder of a Go module, with a go.mod of ours, in which a part's programs are compiled. The part's module itself will
// not do: those of Kubernetes and etcd replace others by folders that a module zip does not have. And its dependencies are not ours.
type module struct {
	dir     string
	targets []string // main packages
}

// errNoSources is the error of a failed download, as opposed to a failed compilation.
var errNoSources = errors.New("its sources cannot be downloaded")

// sourcesRemedy says what to do about a failed download. The go command verifies modules as its environment says; "verifying" is a word
// of cmd/go/internal/modfetch.
func sourcesRemedy(err error) string {
	text := err.Error()
	if strings.Contains(text, "verifying ") && !strings.Contains(text, "mismatch") {
		return "have `go env GOSUMDB` or GOPROXY name a checksum database that answers, or trust the proxy with GOSUMDB=off"
	}
	return "have `go env GOPROXY` name a module proxy that answers and has it"
}

// fetch writes a part's module and downloads exactly the modules that are needed to compile its programs.
func (b *builder) fetch(ctx context.Context, p goPart) (m module, err error) {
	m.dir = filepath.Join(b.work, "modules", p.Name)
	gomod, err := b.goMod(ctx, p)
	if err != nil {
		return m, err
	}
	if err := os.MkdirAll(filepath.Join(m.dir, p.Name), 0o755); err != nil {
		return m, err
	}
	if err := os.WriteFile(filepath.Join(m.dir, "go.mod"), []byte(gomod), 0o644); err != nil {
		return m, err
	}
	for _, pkg := range p.Packages {
		m.targets = append(m.targets, path.Join(p.Module, pkg))
	}
	if p.Main != "" {
		if err := os.WriteFile(filepath.Join(m.dir, p.Name, "main.go"), []byte(p.Main), 0o644); err != nil {
			return m, err
		}
		m.targets = append(m.targets, "./"+p.Name)
	}
	_, err = b.Run(ctx, command.Command{
		Line: fmt.Sprintf(`go list -deps -tags "%s" %s`, p.Tags, strings.Join(m.targets, " ")), Dir: m.dir, Env: p.environment(),
	})
	return m, err
}

// compile builds a part's programs into dir, without DWARF, which would be stripped anyway.
func (b *builder) compile(ctx context.Context, p goPart, m module, dir string) error {
	_, err := b.Run(ctx, command.Command{
		Line: fmt.Sprintf(`go build -trimpath -buildvcs=false -gcflags=all=-dwarf=false -tags "%s" -ldflags "%s" -o %s/ %s`,
			p.Tags, p.LDFlags, dir, strings.Join(m.targets, " ")),
		Dir: m.dir, Env: append(p.environment(), fewerCollections),
	})
	return err
}

// fewerCollections has the compiler collect its garbage less often: k8s.io/api/core/v1 takes 4.6 s of a processor instead of 6.1 s,
// and 0.5 GiB of memory instead of 0.35.
const fewerCollections = "GOGC=400"

func (p goPart) environment() []string {
	cgo := "CGO_ENABLED=0"
	if p.CGO {
		cgo = "CGO_ENABLED=1"
	}
	return []string{cgo, "GOFLAGS=-mod=mod", "GOWORK=off"}
}

// A downloaded has the paths of a module in the go command's cache.
type downloaded struct{ Dir, GoMod string }

func (b *builder) download(ctx context.Context, module, version string) (at downloaded, err error) {
	out, err := b.Run(ctx, command.Command{Line: fmt.Sprintf("go mod download -json %s@%s", module, version), Dir: b.folder})
	if err == nil {
		err = json.Unmarshal([]byte(out), &at)
	}
	return at, err
}

// goMod returns a go.mod that builds a part with exactly the versions in the part's own go.mod.
func (b *builder) goMod(ctx context.Context, p goPart) (string, error) {
	module, err := b.download(ctx, p.Module, p.Version)
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(module.GoMod)
	if err != nil {
		return "", err
	}
	its, err := modfile.Parse(module.GoMod, text, nil)
	if err != nil {
		return "", err
	}
	var mod bytes.Buffer
	fmt.Fprintf(&mod, "module rollcall.local/%s\n\ngo %s\n\nrequire %s %s\n", p.Name, its.Go.Version, p.Module, p.Version)
	for _, g := range its.Godebug {
		fmt.Fprintf(&mod, "godebug %s=%s\n", g.Key, g.Value)
	}
	for _, r := range its.Replace {
		if strings.HasPrefix(r.New.Path, ".") {
			if p.Local == "" {
				return "", errors.New(p.Module + " replaces " + r.Old.Path + " by a folder, and the recipe names no version for it")
			}
			r.New.Path, r.New.Version = r.Old.Path, p.Local
		}
		fmt.Fprintf(&mod, "replace %s => %s %s\n", strings.TrimSpace(r.Old.Path+" "+r.Old.Version), r.New.Path, r.New.Version)
	}
	return mod.String(), nil
}
