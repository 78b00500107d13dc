package nodeimage

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"example.com/rollcall/harness/host"
)

// typical is how long steps take on 2 cores of the reference host. Compilers take less with more cores.
var typical = map[string]time.Duration{
	"debian":         40 * time.Second,
	"kubernetes":     270 * time.Second,
	"containerd":     36 * time.Second,
	"runc":           9 * time.Second,
	"cni":            4 * time.Second,
	"etcd":           14 * time.Second,
	"coredns":        44 * time.Second,
	"metrics-server": 135 * time.Second,

	string(Kubelet): 120 * time.Second, string(KubeProxy): 60 * time.Second, string(ControllerManager): 120 * time.Second,
	assembleStep: 11 * time.Second,
	loadStep:     13 * time.Second,
}

// Steps that are there in every build, because they make the image from the parts.
const (
	assembleStep = "assemble"
	loadStep     = "load"
)

// Expected is how long Ensure typically takes here when no registry has the image; 0 if the engine has it.
func Expected(ctx context.Context, version string) (time.Duration, error) {
	if _, found := find(ctx, version); found {
		return 0, nil
	}
	state, err := host.StateDir()
	return typicalOf(plan(filepath.Join(state, "nodeimage"), version)), err
}

// plan is what is left of a build, one step after the other. Debian is installed beside the compiler, if that has work.
func plan(folder, version string) (steps []Step) {
	for _, p := range programsOf(version) {
		if !p.built(folder) {
			steps = append(steps, p.step())
		}
	}
	if len(steps) == 0 && !exists(debianFolder(folder)) {
		steps = append(steps, Step{Name: "debian " + debian.Suite, Typical: typical["debian"]})
	}
	return append(steps, Step{Name: assembleStep, Typical: typical[assembleStep]},
		Step{Name: loadStep, Typical: typical[loadStep]})
}

func (p goPart) step() Step {
	return Step{Name: p.label(), Typical: typical[p.Name] * 2 / time.Duration(cores())}
}

// label is the name of the step that makes a part.
func (p goPart) label() string { return p.Name + " " + p.Version }

// folder is that of the finished part.
func (p goPart) folder(builds string) string {
	return partDir(builds, p.Name, p.Version, partInputs{revision, p})
}

func (p goPart) built(builds string) bool { return exists(p.folder(builds)) }

func debianFolder(builds string) string {
	return partDir(builds, "debian", debian.Suite, partInputs{revision, debian})
}

func exists(folder string) bool {
	_, err := os.Stat(folder)
	return err == nil
}
