// Package patch writes how an object of Kubernetes is to change: as a patch for kubectl and kustomize, and as a diff for a reader.
package patch

import (
	"maps"
	"reflect"
	"slices"

	"go.yaml.in/yaml/v2"
)

// Of returns the strategic merge patch that makes after of before, which have the same metadata, and a diff of the parts that differ. Both
// are empty if nothing differs.
func Of(before, after map[string]any) (document, diff string) {
	was, is, changes := between(before, after)
	if len(changes) == 0 {
		return "", ""
	}
	for _, of := range []string{"apiVersion", "kind", "metadata"} {
		was[of], is[of], changes[of] = before[of], before[of], before[of]
	}
	return text(changes), lineDiff(text(was), text(is))
}

// merged lists the lists here that a patch merges by the names of their items; it replaces others (core/v1 types.go, patchStrategy).
var merged = []string{"containers", "initContainers"}

// between returns what differs: the old values, the new ones, and the patch, in which a field to remove is null.
func between(before, after map[string]any) (was, is, changes map[string]any) {
	was, is, changes = map[string]any{}, map[string]any{}, map[string]any{}
	for field, b := range after {
		a, there := before[field]
		aMap, both := a.(map[string]any)
		bMap, _ := b.(map[string]any)
		switch {
		case reflect.DeepEqual(a, b):
		case slices.Contains(merged, field):
			was[field], is[field], changes[field] = betweenItems(a, b)
		case both && bMap != nil:
			was[field], is[field], changes[field] = between(aMap, bMap)
		default:
			if there {
				was[field] = a
			}
			is[field], changes[field] = b, b
		}
	}
	for field, a := range before {
		if _, stays := after[field]; !stays {
			was[field], changes[field] = a, nil
		}
	}
	return was, is, changes
}

func betweenItems(before, after any) (was, is, changes []any) {
	items, _ := after.([]any)
	for _, item := range items {
		b := item.(map[string]any)
		a := named(before, b["name"])
		if reflect.DeepEqual(a, b) {
			continue
		}
		then, now, change := between(a, b)
		then["name"], now["name"], change["name"] = b["name"], b["name"], b["name"]
		was, is, changes = append(was, then), append(is, now), append(changes, change)
	}
	return was, is, changes
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

func text(object map[string]any) string {
	data, err := yaml.Marshal(ordered(object))
	if err != nil {
		panic(err) // what came from JSON can be marshalled
	}
	return string(data)
}

// ordered returns a value with the fields of its objects by name, except that the name of an object comes first.
func ordered(value any) any {
	switch v := value.(type) {
	case map[string]any:
		var fields yaml.MapSlice
		if name, named := v["name"]; named {
			fields = append(fields, yaml.MapItem{Key: "name", Value: name})
		}
		for _, field := range slices.Sorted(maps.Keys(v)) {
			if field != "name" {
				fields = append(fields, yaml.MapItem{Key: field, Value: ordered(v[field])})
			}
		}
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
