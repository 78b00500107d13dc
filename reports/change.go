package reports

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"rollcall/harness/verdict/phrase"
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
	thenFields, object := then.(map[string]any)
	if nowFields, both := now.(map[string]any); object && both {
		return changesIn(name, thenFields, nowFields, slices.Sorted(maps.Keys(thenFields)), slices.Sorted(maps.Keys(nowFields)))
	}
	thenEntries, thenNames, named := entries(then)
	if nowEntries, nowNames, both := entries(now); named && both {
		return changesIn(name, thenEntries, nowEntries, thenNames, nowNames)
	}
	return []change{{name: name, then: text(then), now: text(now)}}
}

func changesIn(name string, then, now map[string]any, thenNames, nowNames []string) []change {
	var all []change
	for _, part := range union(nowNames, thenNames) {
		all = append(all, changes(strings.TrimSpace(name+" "+part), then[part], now[part])...)
	}
	return all
}

// entries is a list of objects that all have a name, by it, and their names in order. A name that comes
// again is numbered.
func entries(value any) (byName map[string]any, names []string, ok bool) {
	list, ok := value.([]any)
	if !ok {
		return nil, nil, false
	}
	byName = make(map[string]any)
	for _, entry := range list {
		name := nameOf(entry)
		if name == "" {
			return nil, nil, false
		}
		unique := name
		for n := 2; byName[unique] != nil; n++ {
			unique = fmt.Sprintf("%s#%d", name, n)
		}
		byName[unique] = entry
		names = append(names, unique)
	}
	return byName, names, true
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
	all := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(a, s) {
			all = append(all, s)
		}
	}
	return all
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
