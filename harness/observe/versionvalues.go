package observe

import (
	"slices"
	"strings"
	"unicode"

	corev1 "k8s.io/api/core/v1"

	"example.com/rollcall/harness/secret"
)

// mostValues is how many variables and labels may name a version by their values, mostValue how many characters of a value do.
const (
	mostValues = 2
	mostValue  = 20
)

// byValues names two pods by the values of the variables and labels that differ, such as "VERSION=v1" and "VERSION=v2". It names none if
// these are more than a few, or if a value is not in the template or may be a secret.
func byValues(a, b *corev1.Pod, variables, labels []string) (before, after string) {
	if len(variables)+len(labels) > mostValues {
		return "", ""
	}
	var names [2][]string
	for i, p := range []*corev1.Pod{a, b} {
		inTemplate, all := templateLabels(p.Labels), environment(p)
		for _, name := range variables {
			var values []string
			for _, v := range all[name] {
				if v.ValueFrom != nil {
					return "", ""
				}
				values = append(values, v.Value)
			}
			names[i] = append(names[i], setting(name, slices.Compact(values)))
		}
		for _, key := range labels {
			var values []string
			if value, has := inTemplate[key]; has {
				values = []string{value}
			}
			names[i] = append(names[i], setting(key, values))
		}
		if slices.Contains(names[i], "") {
			return "", ""
		}
	}
	return strings.Join(names[0], " and "), strings.Join(names[1], " and ")
}

// setting returns a text such as "VERSION=v1", or "without VERSION"; nothing if there are several values, or one that may be a secret.
func setting(name string, values []string) string {
	if len(values) == 0 {
		return "without " + name
	}
	text := name + "=" + values[0]
	if len(values) > 1 || secret.Script(text) != text || strings.ContainsFunc(text, unshown) {
		return ""
	}
	if value := []rune(values[0]); len(value) > mostValue {
		return name + "=" + string(value[:mostValue-1]) + "…"
	}
	return text
}

// unshown reports whether a value with a character is not shown: what is before an @ often is a password.
func unshown(r rune) bool { return r == '@' || !unicode.IsPrint(r) }
