package reports

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/reports/model"
)

// absent is the text of what one of two reports does not have.
const absent = "absent"

// A change is one value that two reports do not share. They are compared as the JSON they are, so that
// what only another build writes, or once wrote, is seen as well.
type change struct {
	name      string // words from the outside in, such as "numbers status_gap_ms"
	then, now string // each one line
}

// changes lists what differs between two JSON values, nil being absent: fields by name, entries of a
// list of named objects in the order of now, and last what only then has.
func changes(name string, then, now any) []change {
	if reflect.DeepEqual(then, now) {
		return nil
	}
	thenParts, thenNames := partsOf(then)
	nowParts, nowNames := partsOf(now)
	if thenParts == nil || nowParts == nil {
		return []change{{name: name, then: text(then), now: text(now)}}
	}
	var all []change
	for _, part := range union(nowNames, thenNames) {
		all = append(all, changes(strings.TrimSpace(name+" "+part), thenParts[part], nowParts[part])...)
	}
	return all
}

// partsOf is an object, or a list of objects that all have a name, by those, and the names in order. A name that comes again in a list
// is numbered. Of all else it is nil.
func partsOf(value any) (byName map[string]any, names []string) {
	if object, ok := value.(map[string]any); ok {
		return object, slices.Sorted(maps.Keys(object))
	}
	list, ok := value.([]any)
	if !ok {
		return nil, nil
	}
	byName = make(map[string]any)
	for _, entry := range list {
		name := nameOf(entry)
		if name == "" {
			return nil, nil
		}
		unique := name
		for n := 2; byName[unique] != nil; n++ {
			unique = fmt.Sprintf("%s#%d", name, n)
		}
		byName[unique] = entry
		names = append(names, unique)
	}
	return byName, names
}

// nameOf is what tells an object from others in its list: a scenario's mode, suite and id, else an id, a
// mode or a name.
func nameOf(value any) string {
	object, _ := value.(map[string]any)
	field := func(key string) string { s, _ := object[key].(string); return s }
	if id := field("id"); id != "" {
		return path.Join(field("mode"), field("suite"), id)
	}
	if mode := field("mode"); mode != "" {
		return mode
	}
	return field("name")
}

// union is a, and after it what is only in b.
func union(a, b []string) []string {
	return model.Distinct(slices.Concat(a, b), func(name string) string { return name })
}

// text is a JSON value as people read it; what was judged is its outcome and why.
func text(value any) string {
	switch value := value.(type) {
	case nil:
		return absent
	case string:
		return phrase.Printable(value)
	case []any:
		var parts []string
		for _, entry := range value {
			parts = append(parts, text(entry))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case map[string]any:
		if outcome, ok := value["outcome"].(string); ok {
			because, _ := value["because"].(string)
			return phrase.Printable(outcome + ": " + because)
		}
		var parts []string
		for _, key := range slices.Sorted(maps.Keys(value)) {
			parts = append(parts, phrase.Printable(key)+" "+text(value[key]))
		}
		return strings.Join(parts, " ")
	case json.Number:
		return value.String()
	default:
		return fmt.Sprint(value)
	}
}
