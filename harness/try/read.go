package try

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"

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

// An Object is an object of a manifest.
type Object struct {
	*unstructured.Unstructured
	At   string // where it was read: file and line
	home string // its namespace if it names none; empty: default
}

// namespace returns the namespace that the object is in, or would be in if its kind had namespaces.
func (o Object) namespace() string { return cmp.Or(o.GetNamespace(), o.home, metav1.NamespaceDefault) }

// String returns kind and name, like "Deployment web".
func (o Object) String() string { return o.GetKind() + " " + o.GetName() }

// same reports whether both are the same object of a cluster.
func (o Object) same(other Object) bool {
	return o.GroupVersionKind() == other.GroupVersionKind() && o.GetName() == other.GetName() &&
		o.namespace() == other.namespace()
}

// Read reads all objects of the sources, in their order. The error has a [usage.Error] for each fault, which names file, document, line and
// field.
func Read(s Sources) ([]Object, error) {
	var all []Object
	var faults []error
	add := func(name string, text []byte) {
		objects, err := parse(name, text)
		for i := range objects {
			objects[i].home = s.Namespace
		}
		all, faults = append(all, objects...), append(faults, err)
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
		add("kustomization "+s.Kustomize, text)
	}
	return all, errors.Join(append(faults, twice(all))...)
}

// twice returns an error for each object that is named more than once: which of them would it be?
func twice(objects []Object) error {
	var faults []error
	for i, o := range objects {
		if first := slices.IndexFunc(objects, o.same); first < i && o.GetName() != "" {
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

// linked returns the links to folders in these folders. -R does not follow them, as that of kubectl.
func linked(folders ...string) (links []string) {
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

// parse parses the documents of a manifest. It skips documents with nothing but comments.
func parse(name string, text []byte) (all []Object, err error) {
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	from := 0
	var faults []error
	for n := 1; ; n++ {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return all, errors.Join(faults...)
		}
		if err != nil {
			return nil, usage.New(name, usage.OneLine(err), "fix the manifest")
		}
		at := place{file: name, document: n}
		if content := bytes.TrimSpace(document); bytes.Contains(text[from:], content) {
			found := from + bytes.Index(text[from:], content)
			at.line = bytes.Count(text[:found], []byte("\n"))
			from = found + len(content)
		}
		objects, err := at.parse(withoutLeadingLines(document))
		all, faults = append(all, objects...), append(faults, err)
	}
}

// withoutLeadingLines cuts blank lines before a document. Its end stays: the last newline may belong to a literal block.
func withoutLeadingLines(document []byte) []byte {
	first := len(document) - len(bytes.TrimLeft(document, " \t\r\n"))
	return document[bytes.LastIndexByte(document[:first], '\n')+1:]
}

// A place is the position of a document.
type place struct {
	file           string
	document, line int // document: from 1; line: how many lines are before it
}

func (p place) String() string { return fmt.Sprintf("%s, document %d", p.file, p.document) }

func (p place) parse(document []byte) ([]Object, error) {
	var content map[string]any
	inJSON, err := yaml.YAMLToJSON(document)
	if err == nil {
		err = json.Unmarshal(inJSON, &content)
	}
	if at := bytes.Index(document, []byte("{{")); err != nil && at >= 0 {
		line := p.line + 1 + bytes.Count(document[:at], []byte("\n"))
		return nil, usage.New(p.String(), fmt.Sprintf("line %d: it is a template that was not rendered", line), rendered("CHART"))
	}
	if err != nil {
		return nil, usage.New(p.String(), p.lines(err), "fix the manifest")
	}
	if len(content) == 0 {
		return nil, nil
	}
	object := Object{&unstructured.Unstructured{Object: content}, fmt.Sprintf("%s:%d", p.file, p.line+1), ""}
	switch {
	case object.GetKind() == "" || object.GetAPIVersion() == "":
		remedy := "write both, or leave the file out"
		if strings.HasPrefix(filepath.Base(p.file), "values") {
			remedy = "leave it out or, if it has the values of a Helm chart, " + rendered("CHART --values "+p.file)
		}
		return nil, usage.New(p.String(), "it has no apiVersion or no kind", remedy)
	case object.GetKind() == "Kustomization" && object.GroupVersionKind().Group == "kustomize.config.k8s.io":
		return nil, usage.New(p.String(), "it is a kustomization", "write -k "+filepath.Dir(p.file))
	case object.IsList():
		return p.items(object)
	}
	if err := p.checkFields(document, object.DeepCopy().Object); err != nil {
		return nil, err
	}
	if object.GetName() == "" && object.GetGenerateName() == "" {
		return nil, usage.New(p.String(), object.GetKind()+" has no metadata.name", "name it")
	}
	return []Object{object}, nil
}

// items returns the objects of a list, as kubectl get -o yaml writes it.
func (p place) items(list Object) (all []Object, err error) {
	items, _, _ := unstructured.NestedSlice(list.Object, "items")
	for i, item := range items {
		text, err := yaml.Marshal(item)
		if err != nil {
			return nil, err
		}
		in := place{file: fmt.Sprintf("%s, item %d", p, i+1), document: 1}
		objects, err := in.parse(text)
		if err != nil {
			return nil, err
		}
		all = append(all, objects...)
	}
	return all, nil
}
