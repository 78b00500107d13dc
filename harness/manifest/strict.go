package manifest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
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

// A FieldFault is an error about a field that a kind does not have, that is a duplicate or of the wrong type. It wraps a [usage.Error].
type FieldFault struct {
	In   *usage.Error // about the input as a whole
	Of   Object
	line int    // of the file
	Says string // a clause
}

func (f *FieldFault) Error() string { return f.In.Error() }

func (f *FieldFault) Unwrap() error { return f.In }

// Place returns file and line of the field, as [Object.Place] does.
func (f *FieldFault) Place() (file string, line int) {
	if f.Of.in.text == nil {
		return f.Of.Place("")
	}
	return f.Of.in.file, f.line
}

// FieldFaults returns the faults of fields in an error of [Read], and the error without them.
func FieldFaults(err error) (faults []*FieldFault, rest error) {
	if several, is := err.(interface{ Unwrap() []error }); is {
		var others []error
		for _, e := range several.Unwrap() {
			found, other := FieldFaults(e)
			faults, others = append(faults, found...), append(others, other)
		}
		return faults, errors.Join(others...)
	}
	if fault := (*FieldFault)(nil); errors.As(err, &fault) {
		return []*FieldFault{fault}, nil
	}
	return nil, err
}

// checkFields returns an error for each field of a document that its kind does not have, that is a duplicate or of the wrong type.
func (p place) checkFields(document []byte, object Object) error {
	var all []error
	content := object.DeepCopy().Object
	_, _, err := strictDecoder.Decode(document, nil, nil)
	for err != nil && !runtime.IsNotRegisteredError(err) {
		faults := []error{err}
		if strict, is := runtime.AsStrictDecodingError(err); is {
			faults = strict.Errors()
		}
		for _, fault := range faults {
			all = append(all, p.fault(object, fault))
		}
		wrong := otherType.FindStringSubmatch(err.Error()) // the decoder stops at the first: see what it says without that
		if wrong == nil || !remove(content, strings.Split(wrong[2], ".")) {
			break
		}
		rest, unencoded := json.Marshal(content)
		if unencoded != nil {
			break
		}
		_, _, err = strictDecoder.Decode(rest, nil, nil)
	}
	return errors.Join(all...)
}

// remove removes a field from content or, where a list is on its path, from all elements. It reports whether it was there.
func remove(content any, path []string) (removed bool) {
	if list, is := content.([]any); is {
		for _, element := range list {
			removed = remove(element, path) || removed
		}
		return removed
	}
	object, is := content.(map[string]any)
	if _, has := object[path[0]]; !is || !has {
		return false
	}
	if len(path) > 1 {
		return remove(object[path[0]], path[1:])
	}
	delete(object, path[0])
	return true
}

// fault returns the error about a fault that the decoder found.
func (p place) fault(object Object, err error) error {
	reason, path, remedy := p.said(err), "", ""
	if of := unknownField.FindStringSubmatch(err.Error()); of != nil {
		path = of[1]
		reason, remedy = "unknown field "+path, belongs(path)
	} else if of := otherType.FindStringSubmatch(err.Error()); of != nil {
		path = of[2]
		reason = fmt.Sprintf("%s is a %s, and has to be of type %s", path, of[1], of[3])
	}
	f := &FieldFault{Of: object, line: p.begins(), Says: reason}
	if line := p.near(p.within + path); line > 0 {
		f.line = line
		reason = fmt.Sprintf("line %d: %s", f.line, reason)
	}
	f.In = &usage.Error{Thing: p.String(), Reason: reason, Remedy: cmp.Or(remedy, p.mend())}
	return f
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

// said returns the message of an error in one line, with line numbers of the file instead of the document.
func (p place) said(err error) string {
	said := usage.OneLine(err)
	for _, of := range []string{"strict decoding error: ", "yaml: ", "unmarshal errors: "} {
		said = strings.TrimPrefix(said, of)
	}
	return lineNumber.ReplaceAllStringFunc(said, func(found string) string {
		n, _ := strconv.Atoi(strings.TrimPrefix(found, "line "))
		if line := p.inFile(p.line + n); line > 0 {
			return fmt.Sprintf("line %d", line)
		}
		return fmt.Sprintf("line %d of what it renders to", p.line+n)
	})
}

// indexed returns a path in which the names of containers are replaced by their indexes.
func indexed(object map[string]any, path string) string {
	before, rest, named := strings.Cut(path, "[")
	name, after, _ := strings.Cut(rest, "]")
	if _, err := strconv.Atoi(name); !named || err == nil {
		return path
	}
	for _, list := range []string{before, strings.Replace(before, "containers", "initContainers", 1)} {
		items, _, _ := unstructured.NestedSlice(object, strings.Split(list, ".")...)
		for i, item := range items {
			if is, _ := item.(map[string]any); is["name"] == name {
				return fmt.Sprintf("%s[%d]%s", list, i, after)
			}
		}
	}
	return before
}

// linesOf returns the lines of the parents of a field, such as spec.containers[0].ports, that exist, and then its own.
func linesOf(document []byte, path string) (lines []int) {
	at, err := yaml.Parse(string(document))
	if err != nil {
		return nil
	}
	for step := range strings.SplitSeq(strings.ReplaceAll(path, "[", ".["), ".") {
		if number, is := strings.CutPrefix(step, "["); is {
			elements, _ := at.Elements() // none if it is not a list
			i, err := strconv.Atoi(strings.TrimSuffix(number, "]"))
			if err != nil || i < 0 || i >= len(elements) {
				return lines
			}
			at = elements[i]
			continue
		}
		if only, err := at.Elements(); err == nil && len(only) == 1 { // json leaves indexes out
			at = only[0]
		}
		field := at.Field(step)
		if field == nil {
			return lines
		}
		at, lines = field.Value, append(lines, field.Key.YNode().Line)
	}
	return lines
}
