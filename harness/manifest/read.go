// Package manifest reads the manifests of a user's app, as kubectl apply takes them: files, folders, URLs and kustomizations.
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

// Sources are where manifests are, as kubectl apply takes them.
type Sources struct {
	Files     []string // files, folders and URLs; - is standard input
	Kustomize string   // folder of a kustomization; empty: none
	Recursive bool     // also read folders in folders
	In        io.Reader
	Namespace string // of objects that name none; empty: default
}

// Read reads all objects of the sources, in their order. The error has a [usage.Error] for each fault, which names file, document, line and
// field.
func Read(s Sources) ([]Object, error) {
	var all []Object
	var faults []error
	add := func(name string, text []byte) []Object {
		objects, err := Parse(name, text)
		for i := range objects {
			objects[i].home = s.Namespace
		}
		all, faults = append(all, objects...), append(faults, err)
		return objects
	}
	for _, at := range s.Files {
		names, err := filesOf(at, s.Recursive)
		if err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(names, isKustomization); i >= 0 && len(names) > 1 {
			return nil, usage.New(names[i], "it says which of the files beside it are meant, and how they are changed",
				"write -k "+filepath.Dir(names[i])+", or name the files")
		}
		if i := slices.IndexFunc(names, func(name string) bool { return filepath.Base(name) == "Chart.yaml" }); i >= 0 {
			chart := filepath.Dir(names[i])
			return nil, usage.New(chart, "it is a Helm chart", rendered(chart))
		}
		for _, name := range names {
			text, err := s.read(name)
			if err != nil {
				return nil, usage.New("manifest "+secret.URLs(name), secret.URLs(usage.OneLine(err)),
					"name files, folders or URLs that can be read")
			}
			add(secret.URLs(name), text)
		}
	}
	if s.Kustomize != "" {
		built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), s.Kustomize)
		var text []byte
		if err == nil {
			text, err = built.AsYaml()
		}
		if err != nil {
			return nil, usage.New("kustomization "+s.Kustomize, usage.OneLine(err), "see what this says: kubectl kustomize "+s.Kustomize)
		}
		for _, o := range add("kustomization "+s.Kustomize, text) {
			o.builtFrom(kustomizationIn(s.Kustomize))
		}
	}
	return all, errors.Join(append(faults, twice(all))...)
}

// twice returns an error for each object that is named more than once: which of them would it be?
func twice(objects []Object) error {
	var faults []error
	for i, o := range objects {
		if first := slices.IndexFunc(objects, o.Same); first < i && o.GetName() != "" {
			faults = append(faults, usage.New(o.String(), fmt.Sprintf("it is in %s and in %s", objects[first].At, o.At), "leave one of them out"))
		}
	}
	return errors.Join(faults...)
}

// rendered returns the remedy for a chart.
func rendered(chart string) string {
	return "render it: helm template NAME " + chart + " | rollcall try -f -"
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
