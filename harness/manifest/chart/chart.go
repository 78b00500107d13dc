// Package chart renders Helm charts, as helm template does: without a cluster, and without a network.
package chart

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	helm "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/engine"
	releaseutil "helm.sh/helm/v4/pkg/release/v1/util"

	"example.com/rollcall/harness/usage"
)

// A Chart says what is rendered, and for what.
type Chart struct {
	Path        string   // folder or archive
	Values      []string // files with values; the last one wins
	Namespace   string   // of the release
	KubeVersion string   // such as v1.37.2, that its templates see
}

// A File is what a file of a chart renders to.
type File struct {
	Name string // the file; in an archive, below its name
	Text []byte
	// Lines has, by line of Text from 1, the line of the file that it stands in; 0: in none, an action has made it. Nil: Text is the file's.
	Lines []int
}

// Is reports whether a path is that of a chart.
func Is(path string) bool {
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		_, err = os.Stat(filepath.Join(path, "Chart.yaml"))
		return err == nil
	}
	return err == nil && strings.HasSuffix(path, ".tgz")
}

// Of returns the folder of the chart that a file is in; empty: it is in none.
func Of(file string) string {
	for folder := filepath.Dir(file); ; folder = filepath.Dir(folder) {
		if Is(folder) {
			return folder
		}
		if folder == filepath.Dir(folder) {
			return ""
		}
	}
}

// Render returns the files of crds/, as they are, and then what each template renders to, by name. The release has the name of the chart.
// The error is a [usage.Error].
func (c Chart) Render() ([]File, error) {
	given, err := c.values()
	if err != nil {
		return nil, err
	}
	r, err := c.load(given)
	if err != nil {
		return nil, err
	}
	values, err := r.values(c)
	if err != nil {
		return nil, err
	}
	rendered, err := engine.Render(r.Chart, values)
	if err != nil {
		return nil, c.broken(r, err)
	}
	var files []File
	for _, crd := range r.CRDObjects() {
		files = append(files, File{Name: c.file(r, filepath.ToSlash(crd.Filename)), Text: crd.File.Data})
	}
	lines := c.lines(given, rendered)
	for _, name := range slices.Sorted(maps.Keys(rendered)) {
		if text := rendered[name]; strings.TrimSpace(text) != "" && !strings.HasSuffix(name, "NOTES.txt") {
			files = append(files, File{Name: c.file(r, name), Text: []byte(text), Lines: lines[name]})
		}
	}
	return files, nil
}

// Rank returns the place of a kind in the order in which Helm creates objects. Kinds that it does not know are last.
func Rank(kind string) int {
	if i := slices.Index(releaseutil.InstallOrder, kind); i >= 0 {
		return i
	}
	return len(releaseutil.InstallOrder)
}

// A release is a chart that was read, with the values given for it.
type release struct {
	*helm.Chart
	given   map[string]any
	aliases map[string]string // names of charts that it depends on, by the other names that it gives them
}

// values returns what the files with values have together.
func (c Chart) values() (map[string]any, error) {
	all := map[string]any{}
	for _, name := range c.Values {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, usage.New("--values="+name, usage.OneLine(err), "name a file with values")
		}
		more, err := loader.LoadValues(bytes.NewReader(text))
		if err != nil {
			return nil, usage.New("--values="+name, usage.OneLine(err), "fix the file")
		}
		all = loader.MergeMaps(all, more)
	}
	return all, nil
}

// load reads the chart, and leaves out those of its dependencies that values turn off.
func (c Chart) load(given map[string]any) (r release, err error) {
	thing := c.thing()
	if !Is(c.Path) {
		return r, usage.New(thing, "it has no Chart.yaml, and is no archive", "name the folder of a chart, or its .tgz")
	}
	r = release{given: given, aliases: map[string]string{}}
	if r.Chart, err = loader.Load(c.Path); err == nil {
		err = r.Validate()
	}
	switch {
	case err != nil:
		return r, usage.New(thing, usage.OneLine(err), "see what this says: helm lint "+c.Path)
	case r.Metadata.Type == "library":
		return r, usage.New(thing, "it is a library, which renders nothing by itself", "name a chart that uses it")
	case r.Metadata.KubeVersion != "" && !chartutil.IsCompatibleRange(r.Metadata.KubeVersion, c.KubeVersion):
		return r, usage.New(thing, fmt.Sprintf("it needs Kubernetes %s, and is rendered for %s", r.Metadata.KubeVersion, c.KubeVersion),
			"try it on such a version: --k8s")
	}
	if missing := r.missing(); len(missing) > 0 {
		return r, usage.New(thing, "charts/ lacks what Chart.yaml depends on: "+strings.Join(missing, ", "),
			"get it: helm dependency build "+c.Path)
	}
	for _, d := range r.Metadata.Dependencies {
		if d.Alias != "" {
			r.aliases[d.Alias] = d.Name
		}
	}
	if err := chartutil.ProcessDependencies(r.Chart, r.given); err != nil {
		return r, usage.New(thing, usage.OneLine(err), "fix the values of its dependencies")
	}
	return r, nil
}

func (c Chart) thing() string { return "chart " + c.Path }

// missing names the charts that Chart.yaml has as dependencies, and charts/ does not have.
func (r release) missing() (names []string) {
	for _, d := range r.Metadata.Dependencies {
		if !slices.ContainsFunc(r.Dependencies(), func(has *helm.Chart) bool { return has.Name() == d.Name }) {
			names = append(names, d.Name)
		}
	}
	return names
}

// values returns what templates see.
func (r release) values(c Chart) (common.Values, error) {
	kube, err := common.ParseKubeVersion(c.KubeVersion)
	if err != nil {
		return nil, err
	}
	capabilities := common.DefaultCapabilities.Copy()
	capabilities.KubeVersion = *kube
	name := r.Name()
	if chartutil.ValidateReleaseName(name) != nil {
		name = "release-name" // that of helm template
	}
	values, err := util.ToRenderValuesWithSchemaValidation(r.Chart, r.given,
		common.ReleaseOptions{Name: name, Namespace: c.Namespace, Revision: 1, IsInstall: true}, capabilities, true)
	if err != nil {
		return nil, usage.New(c.thing(), usage.OneLine(err), "fix its values")
	}
	merged, err := values.Table("Values")
	if err == nil {
		err = fits(r.Chart, merged)
	}
	var wrong *misfit
	if errors.As(err, &wrong) {
		return nil, usage.New(c.thing(), wrong.Error(), "give other values: --values=FILE")
	}
	return values, err
}
