package try

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes/scheme"

	"rollcall/harness/usage"
)

// strictly decodes the kinds of Kubernetes itself, and refuses what the API server would refuse or drop without a word.
var strictly = serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()

var unknownField = regexp.MustCompile(`unknown field "([^"]+)"`)

// checkFields refuses a document with a field that its kind has not, one that is there twice, or one that is of another type.
func (p place) checkFields(document []byte) error {
	_, _, err := strictly.Decode(document, nil, nil)
	if err == nil || runtime.IsNotRegisteredError(err) {
		return nil
	}
	remedy := "mend the manifest"
	if field := unknownField.FindStringSubmatch(err.Error()); field != nil {
		reason := fmt.Sprintf("unknown field %s", field[1])
		if line := lineOf(document, field[1]); line > 0 {
			reason = fmt.Sprintf("line %d: %s", p.line+line, reason)
		}
		if strings.HasSuffix(field[1], ".lifecycle") {
			remedy = "move it into the container that it is of"
		}
		return usage.New(p.String(), reason, remedy)
	}
	return usage.New(p.String(), p.lines(err), remedy)
}

var lineNumber = regexp.MustCompile(`line (\d+)`)

// lines is what an error says in one line, with line numbers of the file.
func (p place) lines(err error) string {
	said := strings.TrimPrefix(usage.OneLine(err), "strict decoding error: ")
	return lineNumber.ReplaceAllStringFunc(said, func(found string) string {
		n, _ := strconv.Atoi(strings.TrimPrefix(found, "line "))
		return fmt.Sprintf("line %d", p.line+n)
	})
}

// lineOf is the line of a field, such as spec.containers[0].ports; 0 if it is not there.
func lineOf(document []byte, path string) int {
	var root yaml.Node
	if yaml.Unmarshal(document, &root) != nil || len(root.Content) == 0 {
		return 0
	}
	at, line := root.Content[0], 0
	for step := range strings.SplitSeq(strings.ReplaceAll(path, "[", ".["), ".") {
		if number, is := strings.CutPrefix(step, "["); is {
			i, err := strconv.Atoi(strings.TrimSuffix(number, "]"))
			if err != nil || at.Kind != yaml.SequenceNode || i >= len(at.Content) {
				return line
			}
			at = at.Content[i]
			continue
		}
		found := false
		for i := 0; at.Kind == yaml.MappingNode && i+1 < len(at.Content); i += 2 {
			if at.Content[i].Value == step {
				at, line, found = at.Content[i+1], at.Content[i].Line, true
				break
			}
		}
		if !found {
			return line
		}
	}
	return line
}
