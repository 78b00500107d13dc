// Package patch writes what is to change in an object of Kubernetes as text: a patch for kubectl and kustomize, and a diff for a reader.
package patch

import (
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v2"
)

// Of is the strategic merge patch that makes of one object the other, whose metadata are the same, and the diff of the part that it is
// about. Both are empty if nothing differs.
func Of(before, after map[string]any) (document, diff string) {
	changes := between(before, after)
	if len(changes) == 0 {
		return "", ""
	}
	for _, of := range []string{"apiVersion", "kind", "metadata"} {
		changes[of] = before[of]
	}
	return text(changes), lines(text(part(before, changes)), text(part(after, changes)))
}

// merged is the list that a patch merges by the names of its items; other lists it replaces (core/v1 types.go, patchStrategy).
const merged = "containers"

// between is what differs; a field that is to go is null.
func between(before, after map[string]any) map[string]any {
	changes := map[string]any{}
	for field, is := range after {
		was := before[field]
		wasMap, both := was.(map[string]any)
		isMap, _ := is.(map[string]any)
		switch {
		case reflect.DeepEqual(was, is):
		case field == merged:
			changes[field] = betweenItems(was, is)
		case both && isMap != nil:
			changes[field] = between(wasMap, isMap)
		default:
			changes[field] = is
		}
	}
	for field := range before {
		if _, stays := after[field]; !stays {
			changes[field] = nil
		}
	}
	return changes
}

func betweenItems(before, after any) (changes []any) {
	items, _ := after.([]any)
	for _, item := range items {
		is := item.(map[string]any)
		was := named(before, is["name"])
		if !reflect.DeepEqual(was, is) {
			change := between(was, is)
			change["name"] = is["name"]
			changes = append(changes, change)
		}
	}
	return changes
}

func named(list, name any) map[string]any {
	items, _ := list.([]any)
	for _, item := range items {
		if is, _ := item.(map[string]any); is["name"] == name {
			return is
		}
	}
	return nil
}

// part is what of an object a patch is about.
func part(object, changes map[string]any) map[string]any {
	some := map[string]any{}
	for field, is := range object {
		change, has := changes[field]
		isMap, both := is.(map[string]any)
		changeMap, _ := change.(map[string]any)
		switch {
		case !has:
		case field == merged:
			var items []any
			for _, item := range change.([]any) {
				change := item.(map[string]any)
				items = append(items, part(named(is, change["name"]), change))
			}
			some[field] = items
		case both && changeMap != nil:
			some[field] = part(isMap, changeMap)
		default:
			some[field] = is
		}
	}
	return some
}

func text(object map[string]any) string {
	data, err := yaml.Marshal(ordered(object))
	if err != nil {
		panic(err) // what came from JSON can be written
	}
	return string(data)
}

// ordered has fields by their names, and that first which names an item of a list.
func ordered(value any) any {
	switch v := value.(type) {
	case map[string]any:
		var fields yaml.MapSlice
		for field, is := range v {
			fields = append(fields, yaml.MapItem{Key: field, Value: ordered(is)})
		}
		slices.SortFunc(fields, func(a, b yaml.MapItem) int {
			switch x, y := a.Key.(string), b.Key.(string); {
			case x == "name":
				return -1
			case y == "name":
				return 1
			default:
				return strings.Compare(x, y)
			}
		})
		return fields
	case []any:
		items := make([]any, len(v))
		for i, is := range v {
			items[i] = ordered(is)
		}
		return items
	}
	return value
}
