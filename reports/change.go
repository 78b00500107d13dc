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

// absent is the text of what one of two reports does not have.
const absent = "absent"

// wording are the fields that say in words what others say; the claim is a rule's, as this build words it.
var wording = []string{"headline", "facts", "because", "advice", "patch", "claim"}

// A change is one value that two reports do not share. They are compared as the JSON they are, so that
// what only another build writes, or once wrote, is seen as well.
type change struct {
	name      string // words from the outside in, such as "numbers status_gap_ms"
	then, now string // each one line
}

// changes lists what differs between two JSON values, nil being absent, beside their wording: fields and entries of a list of named
// objects by name.
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

// partsOf is an object, or a list of objects that all have a name, by those. A name that comes again in a list is numbered. Of all
// else it is nil.
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

// nameOf is what tells an object from others in its list: a scenario's mode, suite and id, as far as it has them, else a name.
func nameOf(value any) string {
	object, _ := value.(map[string]any)
	field := func(key string) string { s, _ := object[key].(string); return s }
	return cmp.Or(path.Join(field("mode"), field("suite"), field("id")), field("name"))
}

// union are the names in either.
func union(a, b map[string]any) []string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(names)
	return slices.Compact(names)
}

// text is a JSON value in one line; what was judged is its outcome and why.
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
	plain, _ := json.Marshal(value) // it was JSON
	return phrase.Printable(string(plain))
}
