package try

import (
	"cmp"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"example.com/rollcall/harness/usage"
)

// strictDecoder decodes Kubernetes' own kinds. It rejects fields that the API server would reject or silently drop.
var strictDecoder = serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()

var (
	unknownField = regexp.MustCompile(`unknown field "([^"]+)"`)
	// the text of json.UnmarshalTypeError
	otherType = regexp.MustCompile(`cannot unmarshal (\w+) into Go struct field \w+\.(\S+) of type (\S+)`)
)

// checkFields returns an error for a document with a field that its kind does not have, a duplicate field or one of the wrong type.
func (p place) checkFields(document []byte) error {
	_, _, err := strictDecoder.Decode(document, nil, nil)
	if err == nil || runtime.IsNotRegisteredError(err) {
		return nil
	}
	reason, path, remedy := p.lines(err), "", ""
	if of := unknownField.FindStringSubmatch(err.Error()); of != nil {
		path = of[1]
		reason, remedy = "unknown field "+path, belongs(path)
	} else if of := otherType.FindStringSubmatch(err.Error()); of != nil {
		path = of[2]
		reason = fmt.Sprintf("%s is a %s, and has to be of type %s", path, of[1], of[3])
	}
	if line := lineOf(document, path); line > 0 {
		reason = fmt.Sprintf("line %d: %s", p.line+line, reason)
	}
	return usage.New(p.String(), reason, cmp.Or(remedy, "fix the manifest"))
}

// belongs says where a field belongs that is at the wrong place of a pod's specification; empty if it is not known.
func belongs(path string) string {
	dot := strings.LastIndex(path, ".") // as in spec.template.spec.containers[0].volumes
	parent, name := path[:max(0, dot)], path[dot+1:]
	switch container := strings.Contains(parent, "ontainers["); {
	case container && has[corev1.PodSpec](name):
		return "move it out of the container, beside containers"
	case !container && strings.HasSuffix(parent, "spec") && has[corev1.Container](name):
		return "move it into the container that it is of"
	}
	return ""
}

// has reports whether a struct has a field with this name in JSON.
func has[T any](name string) bool {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		if json, _, _ := strings.Cut(field.Tag.Get("json"), ","); json == name {
			return true
		}
	}
	return false
}

var lineNumber = regexp.MustCompile(`line (\d+)`)

// lines returns the message of an error in one line, with line numbers of the file instead of the document.
func (p place) lines(err error) string {
	said := usage.OneLine(err)
	for _, of := range []string{"strict decoding error: ", "yaml: ", "unmarshal errors: "} {
		said = strings.TrimPrefix(said, of)
	}
	return lineNumber.ReplaceAllStringFunc(said, func(found string) string {
		n, _ := strconv.Atoi(strings.TrimPrefix(found, "line "))
		return fmt.Sprintf("line %d", p.line+n)
	})
}

// lineOf returns the line of a field, such as spec.containers[0].ports, or of the last of its parents that exists; 0 if none does.
func lineOf(document []byte, path string) (line int) {
	at, err := yaml.Parse(string(document))
	if err != nil {
		return 0
	}
	for step := range strings.SplitSeq(strings.ReplaceAll(path, "[", ".["), ".") {
		if number, is := strings.CutPrefix(step, "["); is {
			elements, _ := at.Elements() // none if it is no list
			i, err := strconv.Atoi(strings.TrimSuffix(number, "]"))
			if err != nil || i >= len(elements) {
				return line
			}
			at = elements[i]
			continue
		}
		field := at.Field(step)
		if field == nil {
			return line
		}
		at, line = field.Value, field.Key.YNode().Line
	}
	return line
}
