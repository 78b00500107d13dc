package nodeimage

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"rollcall/harness/buildcache"
	"rollcall/harness/host"
)

// usual is how long steps take on 2 cores of the reference host. Compilers take less with more cores.
var usual = map[string]time.Duration{
	"debian":         40 * time.Second,
	"kubernetes":     270 * time.Second,
	"containerd":     36 * time.Second,
	"runc":           9 * time.Second,
	"cni":            4 * time.Second,
	"etcd":           14 * time.Second,
	"coredns":        44 * time.Second,
	"metrics-server": 135 * time.Second,
	assembleStep:     11 * time.Second,
	loadStep:         13 * time.Second,
}

// Steps that are there in every build, because they make the image from the parts.
const (
	assembleStep = "assemble"
	loadStep     = "load"
)

// Expected is how long Ensure usually takes here when no registry has the image; 0 if the engine has it.
func Expected(ctx context.Context, version string) (time.Duration, error) {
	if _, here := Here(ctx, version); here {
		return 0, nil
	}
	state, err := host.StateDir()
	return buildcache.Usual(plan(filepath.Join(state, "nodeimage"), version)), err
}

// plan is what is left to be done of a build, one after the other. Debian comes beside the compiler, if that has to do.
func plan(folder, version string) (steps []buildcache.Step) {
	for _, p := range programsOf(version) {
		if !p.made(folder) {
			steps = append(steps, p.step())
		}
	}
	if len(steps) == 0 && !there(debianFolder(folder)) {
		steps = append(steps, buildcache.Step{Name: "debian " + debian.Suite, Usual: usual["debian"]})
	}
	return append(steps, buildcache.Step{Name: assembleStep, Usual: usual[assembleStep]}, buildcache.Step{Name: loadStep, Usual: usual[loadStep]})
}

func (p goPart) step() buildcache.Step {
	return buildcache.Step{Name: p.label(), Usual: usual[p.Name] * 2 / time.Duration(cores())}
}

// label is the name of the step that makes a part.
func (p goPart) label() string { return p.Name + " " + p.Version }

// folder is where the part is when it is made.
func (p goPart) folder(builds string) string {
	return buildcache.Dir(builds, p.Name, p.Version, revised{revision, p})
}

func (p goPart) made(builds string) bool { return there(p.folder(builds)) }

func debianFolder(builds string) string {
	return buildcache.Dir(builds, "debian", debian.Suite, revised{revision, debian})
}

func there(folder string) bool {
	_, err := os.Stat(folder)
	return err == nil
}
