package manifest

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"example.com/rollcall/harness/manifest/chart"
	"example.com/rollcall/harness/usage"
)

// Parse parses the documents of a manifest, whose name errors have. It skips documents with nothing but comments.
func Parse(name string, text []byte) (all []Object, err error) {
	return parse(source{file: name}, text)
}

// parse parses the documents of a text, whose source is given without text and line.
func parse(from source, text []byte) (all []Object, err error) {
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	read := 0
	var faults []error
	for n := 1; ; n++ {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return all, errors.Join(faults...)
		}
		if err != nil {
			return nil, usage.New(from.file, usage.OneLine(err), from.mend())
		}
		at := place{source: from, document: n}
		if content := bytes.TrimSpace(document); bytes.Contains(text[read:], content) {
			found := read + bytes.Index(text[read:], content)
			at.line = bytes.Count(text[:found], []byte("\n"))
			read = found + len(content)
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
	lines  []int  // of a template: by line of what it renders to, from 1, the line of the file; see [chart.File]. Nil: it is the file's text
}

// near returns the line of a field, or of the last of its parents that the file has; 0: it has none of them.
func (s source) near(path string) int {
	for _, n := range slices.Backward(linesOf(s.text, path)) {
		if line := s.inFile(s.line + n); line > 0 {
			return line
		}
	}
	return 0
}

// begins returns the first line of the document that the file has, or else that of the file.
func (s source) begins() int {
	for n := range bytes.Count(s.text, []byte("\n")) + 1 {
		if line := s.inFile(s.line + n + 1); line > 0 {
			return line
		}
	}
	return 1
}

// inFile returns the line of the file for one of the text; 0: the file has it nowhere.
func (s source) inFile(n int) int {
	switch {
	case s.lines == nil:
		return n
	case n < len(s.lines):
		return s.lines[n]
	default:
		return 0
	}
}

// mend returns the remedy for what is wrong in the text.
func (s source) mend() string {
	if s.lines != nil {
		return "fix the template or its values"
	}
	return "fix the manifest"
}

func (p place) String() string { return fmt.Sprintf("%s, document %d%s", p.file, p.document, p.item) }

func (p place) parse(document []byte) ([]Object, error) {
	var content map[string]any
	inJSON, err := yaml.YAMLToJSON(document)
	if err == nil {
		err = json.Unmarshal(inJSON, &content)
	}
	if at := bytes.Index(document, []byte("{{")); err != nil && at >= 0 && p.lines == nil {
		line := p.line + 1 + bytes.Count(document[:at], []byte("\n"))
		return nil, usage.New(p.String(), fmt.Sprintf("line %d: it is a template that was not rendered", line),
			named(cmp.Or(chart.Of(p.file), "CHART")))
	}
	if name := unknownAnchor.FindStringSubmatch(fmt.Sprint(err)); name != nil {
		line := p.line + 1 + bytes.Count(document[:max(0, bytes.Index(document, []byte("*"+name[1])))], []byte("\n"))
		return nil, usage.New(p.String(), fmt.Sprintf("line %d: alias *%s has no anchor in this document", line, name[1]), "write it out")
	}
	if err != nil {
		return nil, usage.New(p.String(), p.said(err), p.mend())
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
			remedy = "leave it out or, if it has the values of a Helm chart, " + named(cmp.Or(chart.Of(p.file), "CHART")+" --values="+p.file)
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
	return fmt.Sprintf("%s:%d", p.file, cmp.Or(p.near(strings.TrimSuffix(p.within, ".")), p.begins()))
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
