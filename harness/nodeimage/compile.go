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
	"sync"

	"example.com/rollcall/harness/command"
)

// A module is a folder in which a part's programs are compiled. They get one of their own, because the modules of Kubernetes
// and etcd replace others by folders that a module zip does not have, and because their dependencies must not be ours.
type module struct {
	dir      string
	targets  []string // packages of programs
	packages int      // to be compiled, without those of the standard library
	err      error    // why there is none
}

// errNoSources is why there is no module: the network rather than the compiler.
var errNoSources = errors.New("its sources cannot be had")

// modules makes the modules of parts one after the other, so that downloads go on while earlier parts are compiled. The first
// with an error is the last.
func (b *builder) modules(ctx context.Context, parts []goPart) <-chan module {
	made := make(chan module, len(parts))
	go func() {
		defer close(made)
		for _, p := range parts {
			m := module{dir: filepath.Join(b.work, "modules", p.Name)}
			if err := b.fetch(ctx, p, &m); err != nil {
				m.err = fmt.Errorf("%w: %w", errNoSources, err)
			}
			made <- m
			if m.err != nil {
				return
			}
		}
	}()
	return made
}

// fetch writes a part's module and downloads exactly what compiling its programs takes.
func (b *builder) fetch(ctx context.Context, p goPart, m *module) error {
	gomod, err := b.goMod(ctx, p)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(m.dir, p.Name), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(m.dir, "go.mod"), []byte(gomod), 0o644); err != nil {
		return err
	}
	for _, pkg := range p.Packages {
		m.targets = append(m.targets, path.Join(p.Module, pkg))
	}
	if p.Main != "" {
		if err := os.WriteFile(filepath.Join(m.dir, p.Name, "main.go"), []byte(p.Main), 0o644); err != nil {
			return err
		}
		m.targets = append(m.targets, "./"+p.Name)
	}
	list, err := b.Run(ctx, command.Command{
		Line: fmt.Sprintf(`go list -deps -tags "%s" -f "{{if not .Standard}}{{.ImportPath}}{{end}}" %s`, p.Tags, strings.Join(m.targets, " ")),
		Dir:  m.dir, Env: p.environment(),
	})
	m.packages = len(strings.Fields(list))
	return err
}

// compile builds a part's programs into dir. Nothing of what debuggers read is made, since it would be stripped.
func (b *builder) compile(ctx context.Context, p goPart, m module, dir string) error {
	_, err := b.Run(ctx, command.Command{
		Line: fmt.Sprintf(`go build -v -trimpath -buildvcs=false -gcflags=all=-dwarf=false -tags "%s" -ldflags "%s" -o %s/ %s`,
			p.Tags, p.LDFlags, dir, strings.Join(m.targets, " ")),
		Dir: m.dir, Env: append(p.environment(), fewerCollections),
		Log: &packageCounter{total: m.packages, progress: func(part float64) { b.SetProgress(p.label(), part) }},
	})
	return err
}

// fewerCollections has the compiler collect its garbage less often: k8s.io/api/core/v1 took 6.1 s of a processor, 4.6 s so, and
// 0.5 GiB instead of 0.35.
const fewerCollections = "GOGC=400"

func (p goPart) environment() []string {
	cgo := "CGO_ENABLED=0"
	if p.CGO {
		cgo = "CGO_ENABLED=1"
	}
	return []string{cgo, "GOFLAGS=-mod=mod", "GOWORK=off"}
}

// A packageCounter reads the output of `go build -v`, which names each package that it compiles.
type packageCounter struct {
	total    int
	progress func(part float64)

	mu   sync.Mutex // guards seen
	seen int
}

func (c *packageCounter) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for line := range bytes.Lines(p) {
		first, _, _ := bytes.Cut(line, []byte("/"))
		if bytes.ContainsRune(first, '.') && !bytes.ContainsRune(line, ' ') { // not of the standard library, and no message
			c.seen++
		}
	}
	c.progress(min(1, float64(c.seen)/float64(max(1, c.total))))
	return len(p), nil
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
