package manifest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"example.com/rollcall/harness/usage"
)

// Parse parses the documents of a manifest, whose name errors have. It skips documents with nothing but comments.
func Parse(name string, text []byte) (all []Object, err error) {
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
		at := place{source: source{file: name}, document: n}
		if content := bytes.TrimSpace(document); bytes.Contains(text[from:], content) {
			found := from + bytes.Index(text[from:], content)
			at.line = bytes.Count(text[:found], []byte("\n"))
			from = found + len(content)
		}
		at.text = withoutLeadingLines(document)
		objects, err := at.parse(at.text)
		all, faults = append(all, objects...), append(faults, err)
	}
}

// withoutLeadingLines cuts blank lines before a document. Its end stays: the last newline may belong to a literal block.
func withoutLeadingLines(document []byte) []byte {
	first := len(document) - len(bytes.TrimLeft(document, " \t\r\n"))
	return document[bytes.LastIndexByte(document[:first], '\n')+1:]
}

// A place is the position of a document, or of an item of a list.
type place struct {
	source
	document int    // from 1
	item     string // such as ", item 2"; empty: the document is no list
}

// A source is the text that an object was read from.
type source struct {
	file   string
	text   []byte // of the document
	line   int    // how many lines are before it
	within string // path of the object in the document, such as items[0].; empty: it is the document
}

func (p place) String() string { return fmt.Sprintf("%s, document %d%s", p.file, p.document, p.item) }

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
	if name := unknownAnchor.FindStringSubmatch(fmt.Sprint(err)); name != nil {
		line := p.line + 1 + bytes.Count(document[:max(0, bytes.Index(document, []byte("*"+name[1])))], []byte("\n"))
		return nil, usage.New(p.String(), fmt.Sprintf("line %d: alias *%s has no anchor in this document", line, name[1]), "write it out")
	}
	if err != nil {
		return nil, usage.New(p.String(), p.lines(err), "fix the manifest")
	}
	if len(content) == 0 {
		return nil, nil
	}
	object := Object{Unstructured: &unstructured.Unstructured{Object: content}, in: &p.source}
	object.At = p.at()
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
	if object.GetName() == "" && object.GetGenerateName() == "" {
		return nil, usage.New(p.String(), object.GetKind()+" has no metadata.name", "name it")
	}
	return []Object{object}, p.checkFields(document, object)
}

// unknownAnchor is what the decoder says about an alias without an anchor, without its line (go.yaml.in/yaml/v2, decode.go).
var unknownAnchor = regexp.MustCompile(`unknown anchor '([^']+)' referenced`)

// at returns file and line of the object.
func (p place) at() string {
	return fmt.Sprintf("%s:%d", p.file, p.line+max(1, lineOf(p.text, strings.TrimSuffix(p.within, "."))))
}

// items returns the objects of a list, as kubectl get -o yaml writes it.
func (p place) items(list Object) (all []Object, err error) {
	items, _, _ := unstructured.NestedSlice(list.Object, "items")
	var faults []error
	for i, item := range items {
		text, err := yaml.Marshal(item)
		if err != nil {
			return nil, err
		}
		in := p
		in.item, in.within = fmt.Sprintf("%s, item %d", p.item, i+1), fmt.Sprintf("%sitems[%d].", p.within, i)
		objects, err := in.parse(text)
		all, faults = append(all, objects...), append(faults, err)
	}
	return all, errors.Join(faults...)
}
