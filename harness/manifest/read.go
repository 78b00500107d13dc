// Package manifest reads the manifests of a user's app, as kubectl apply takes them: files, folders, URLs and kustomizations; and what a
// Helm chart renders.
package manifest

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"example.com/rollcall/harness/secret"
	"example.com/rollcall/harness/usage"
)

// Sources are where manifests are, as kubectl apply takes them, and a Helm chart.
type Sources struct {
	Files       []string // files, folders and URLs; - is standard input
	Kustomize   string   // folder of a kustomization; empty: none
	Recursive   bool     // also read folders in folders
	Chart       string   // folder or archive of a Helm chart; empty: none
	Values      []string // files with values for it; the last one wins
	KubeVersion string   // for which it is rendered; empty: [kube.Default]
	In          io.Reader
	Namespace   string // of objects that name none, and of the chart's release; empty: default
}

// CheckNamed returns an error of a command unless manifests are named.
func (s Sources) CheckNamed(command string) error {
	switch {
	case s.Chart == "" && len(s.Values) > 0:
		return usage.New("--values="+s.Values[0], "there is no chart that it has values for", "give --chart=DIR too")
	case len(s.Files) == 0 && s.Kustomize == "" && s.Chart == "":
		return usage.New(command, "no manifests are named", "give -f FILE, -k FOLDER or --chart=DIR")
	}
	return nil
}

// Read reads all objects of the sources, in their order. The error has a [usage.Error] for each fault, which names file, document, line and
// field.
func Read(s Sources) ([]Object, error) {
	r := reader{Sources: s}
	for _, at := range s.Files {
		if err := r.readFiles(at); err != nil {
			return nil, err
		}
	}
	if s.Kustomize != "" {
		if err := r.readKustomization(); err != nil {
			return nil, err
		}
	}
	if s.Chart != "" {
		if err := r.readChart(); err != nil {
			return nil, err
		}
	}
	return r.objects, errors.Join(append(r.faults, twice(r.objects))...)
}

// A reader has what was read so far.
type reader struct {
	Sources
	objects []Object
	faults  []error // of objects
}

// add parses a text, and returns its objects.
func (r *reader) add(from source, text []byte) []Object {
	objects, err := parse(from, text)
	for i := range objects {
		objects[i].home = r.Namespace
	}
	r.objects, r.faults = append(r.objects, objects...), append(r.faults, err)
	return objects
}

// readFiles reads a file or a URL, or the manifests in a folder.
func (r *reader) readFiles(at string) error {
	names, err := filesOf(at, r.Recursive)
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(names, isKustomization); i >= 0 && len(names) > 1 {
		return usage.New(names[i], "it says which of the files beside it are meant, and how they are changed",
			"write -k "+filepath.Dir(names[i])+", or name the files")
	}
	if i := slices.IndexFunc(names, func(name string) bool { return filepath.Base(name) == "Chart.yaml" }); i >= 0 {
		folder := filepath.Dir(names[i])
		return usage.New(folder, "it is a Helm chart", named(folder))
	}
	for _, name := range names {
		text, err := r.read(name)
		if err != nil {
			return usage.New("manifest "+secret.URLs(name), secret.URLs(usage.OneLine(err)), "name files, folders or URLs that can be read")
		}
		r.add(source{file: secret.URLs(name)}, text)
	}
	return nil
}

func (r *reader) readKustomization() error {
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), r.Kustomize)
	var text []byte
	if err == nil {
		text, err = built.AsYaml()
	}
	if err != nil {
		return usage.New("kustomization "+r.Kustomize, usage.OneLine(err), "see what this says: kubectl kustomize "+r.Kustomize)
	}
	for _, o := range r.add(source{file: "kustomization " + r.Kustomize}, text) {
		o.builtFrom(kustomizationIn(r.Kustomize))
	}
	return nil
}

// twice returns an error for each object that is named more than once: which of them would it be? A hook may be there beside an object of
// its name, since it is deleted before.
func twice(objects []Object) error {
	var faults []error
	for i, o := range objects {
		_, hook := HookOf(o)
		if first := slices.IndexFunc(objects, func(other Object) bool {
			_, is := HookOf(other)
			return o.Same(other) && is == hook
		}); first < i && o.GetName() != "" {
			faults = append(faults, usage.New(o.String(), fmt.Sprintf("it is in %s and in %s", objects[first].At, o.At), "leave one of them out"))
		}
	}
	return errors.Join(faults...)
}

// isKustomization reports whether a file has the name of one (kustomize, konfig.RecognizedKustomizationFileNames).
func isKustomization(name string) bool {
	return slices.Contains(konfig.RecognizedKustomizationFileNames(), filepath.Base(name))
}

// kustomizationIn returns the file of a kustomization.
func kustomizationIn(folder string) string {
	for _, name := range konfig.RecognizedKustomizationFileNames() {
		if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
			return filepath.Join(folder, name)
		}
	}
	return folder
}

// filesOf returns the manifests in a folder, by name; for anything else it returns at alone.
func filesOf(at string, recursive bool) (names []string, err error) {
	if info, err := os.Stat(at); err != nil || !info.IsDir() {
		return []string{at}, nil
	}
	inside, err := filepath.EvalSymlinks(at) // WalkDir follows no link
	if err != nil {
		return nil, usage.New("folder "+at, usage.OneLine(err), "choose another")
	}
	err = filepath.WalkDir(inside, func(name string, entry os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != inside && !recursive:
			return filepath.SkipDir
		case !entry.IsDir() && slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(name)):
			names = append(names, name)
		}
		return nil
	})
	if err == nil && len(names) == 0 {
		err = errors.New("it has no file that ends in .yaml, .yml or .json")
	}
	if err != nil {
		return nil, usage.New("folder "+at, usage.OneLine(err), "choose a folder with manifests; -R looks into folders in it, too")
	}
	return names, nil
}

// Linked returns the links to folders in these folders. -R does not follow them, as that of kubectl.
func Linked(folders ...string) (links []string) {
	for _, at := range folders {
		inside, err := filepath.EvalSymlinks(at)
		if err != nil { // no folder
			continue
		}
		_ = filepath.WalkDir(inside, func(name string, entry os.DirEntry, err error) error {
			if err == nil && entry.Type()&os.ModeSymlink != 0 {
				if to, err := os.Stat(name); err == nil && to.IsDir() {
					links = append(links, name)
				}
			}
			return nil // what cannot be read is an error of filesOf
		})
	}
	slices.Sort(links)
	return slices.Compact(links)
}

func (s Sources) read(name string) ([]byte, error) {
	switch {
	case name == "-":
		return usage.ReadAll(s.In)
	case strings.HasPrefix(name, "http://"), strings.HasPrefix(name, "https://"):
		client := http.Client{Timeout: fetchLimit}
		reply, err := client.Get(name)
		if err != nil {
			return nil, err
		}
		defer reply.Body.Close()
		if reply.StatusCode != http.StatusOK {
			return nil, errors.New(reply.Status)
		}
		return usage.ReadAll(reply.Body)
	default:
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		return usage.ReadAll(file)
	}
}
