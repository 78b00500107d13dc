package check

import (
	"regexp"
	"strings"

	"example.com/rollcall/harness/manifest"
	"example.com/rollcall/harness/usage"
)

// Annotation silences findings about an object where comments do not survive, as in kustomizations: RC3003 because REASON, with
// a line for each code.
const Annotation = "rollcall.local/ignore"

var (
	comment = regexp.MustCompile(`#\s*rollcall:\s*ignore\s+(.*)$`)
	ignored = regexp.MustCompile(`^(RC\d{4}) because (\S.*)$`)
)

// Ignored returns, by code, why findings about an object are silenced: by a comment in its document, or by [Annotation].
func Ignored(o manifest.Object) (reasons map[string]string, _ error) {
	reasons = map[string]string{}
	said := strings.Split(o.GetAnnotations()[Annotation], "\n")
	for _, line := range o.Lines() {
		if found := comment.FindStringSubmatch(line); found != nil {
			said = append(said, found[1])
		}
	}
	for _, text := range said {
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		found := ignored.FindStringSubmatch(text)
		if found == nil {
			return nil, usage.New(o.At, "it has rollcall: ignore "+text, "write # rollcall: ignore RC3003 because REASON, or annotation "+Annotation+
				" with RC3003 because REASON")
		}
		reasons[found[1]] = found[2]
	}
	return reasons, nil
}
