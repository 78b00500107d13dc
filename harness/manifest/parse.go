package manifest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
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
