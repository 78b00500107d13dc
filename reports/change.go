package reports

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"example.com/rollcall/harness/verdict/phrase"
)

// absent stands for a value that one of two reports does not have.
const absent = "absent"

// wording lists the fields that put other fields into words. A "claim" is a rule's, in the words of this build.
var wording = []string{"headline", "facts", "because", "advice", "patch", "claim"}

// A change is one value that differs between two reports. They are compared as JSON, so that fields which only another build writes are
// seen as well.
type change struct {
	name      string // names from the outermost in, such as "numbers status_gap_ms"
	then, now string // each one line
}

// changes lists the differences of two JSON values, except in their wording; nil is absent. It matches fields, and entries of a list of
// named objects, by name.
func changes(name string, then, now any) (all []change) {
	thenParts, nowParts := partsOf(then), partsOf(now)
	if thenParts == nil || nowParts == nil {
		if reflect.DeepEqual(then, now) {
			return nil
		}
		return []change{{name: name, then: text(then), now: text(now)}}
	}
	for _, part := range union(nowParts, thenParts) {
		if !slices.Contains(wording, part) {
			all = append(all, changes(strings.TrimSpace(name+" "+part), thenParts[part], nowParts[part])...)
		}
	}
	return all
}

// partsOf returns the fields of an object, or the entries of a list of named objects, by name; a name that comes again in the list is
// numbered. For any other value it returns nil.
func partsOf(value any) map[string]any {
	if object, ok := value.(map[string]any); ok {
		return object
	}
	list, ok := value.([]any)
	if !ok {
		return nil
	}
	byName := make(map[string]any)
	for _, entry := range list {
		name := nameOf(entry)
		if name == "" {
			return nil
		}
		for n := 2; byName[name] != nil; n++ {
			name = fmt.Sprintf("%s#%d", nameOf(entry), n)
		}
		byName[name] = entry
	}
	return byName
}

// nameOf returns what identifies an object in its list: a scenario's mode, suite and id, as far as it has them, else a name.
func nameOf(value any) string {
	object, _ := value.(map[string]any)
	field := func(key string) string { s, _ := object[key].(string); return s }
	return cmp.Or(path.Join(field("mode"), field("suite"), field("id")), field("name"))
}

// union returns the names that either map has, sorted.
func union(a, b map[string]any) []string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(names)
	return slices.Compact(names)
}

// text returns a JSON value as one line; of an object with an outcome, the outcome and its reason.
func text(value any) string {
	switch value := value.(type) {
	case nil:
		return absent
	case string:
		return phrase.Printable(value)
	case map[string]any:
		if outcome, ok := value["outcome"].(string); ok {
			because, _ := value["because"].(string)
			return phrase.Printable(outcome + ": " + because)
		}
	}
	plain, _ := json.Marshal(value) // it came from JSON
	return phrase.Printable(string(plain))
}
