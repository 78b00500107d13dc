package secret

import "slices"

// Object withholds at any depth of an object of Kubernetes, in place, the values of environment variables, of annotations and options of
// volumes whose names say that they are secret, and of headers of probes and hooks, and what Args and URLs withhold of commands, arguments
// and other texts, as Query does of paths.
func Object(value any) {
	switch value := value.(type) {
	case []any:
		for i, entry := range value {
			if text, is := entry.(string); is {
				value[i] = Query(URLs(text))
				continue
			}
			Object(entry)
		}
	case map[string]any:
		for name, field := range value {
			switch name {
			case "env":
				withholdValues(field)
			case "httpHeaders":
				withholdValues(field, "Host")
			case "command", "args":
				withholdWords(field)
			case "annotations", "volumeAttributes", "options": // the latter of CSI and FlexVolume
				withholdNamed(field)
			default:
				if text, is := field.(string); is {
					value[name] = Query(URLs(text))
				}
			}
			Object(field)
		}
	}
}

// withholdValues withholds the values of a list of names with values, but for some names.
func withholdValues(list any, but ...string) {
	entries, _ := list.([]any)
	for _, entry := range entries {
		if entry, is := entry.(map[string]any); is && entry["value"] != nil {
			if name, _ := entry["name"].(string); !slices.Contains(but, name) {
				entry["value"] = Withheld
			}
		}
	}
}

func withholdWords(list any) {
	entries, _ := list.([]any)
	words := make([]string, len(entries))
	for i, entry := range entries {
		words[i], _ = entry.(string)
	}
	for i, word := range Args(words) {
		entries[i] = word
	}
}

// withholdNamed withholds the texts of a map whose names say that they are secret, and what Script withholds of the others.
func withholdNamed(texts any) {
	all, _ := texts.(map[string]any)
	for name, value := range all {
		switch text, is := value.(string); {
		case !is:
		case Named(name):
			all[name] = Withheld
		default:
			all[name] = Script(text)
		}
	}
}
