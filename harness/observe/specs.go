package observe

import (
	"fmt"
	"strings"

	"example.com/rollcall/harness/evidence"
)

// A specTracker notes how the specs of objects of a kind change, and which objects are created and deleted while it watches.
type specTracker[T any] struct {
	*journal
	kind    evidence.EventKind
	changes func(was, is T) []string // in words
	about   func(T) string           // what to say of an object that is created or deleted
	count   func(T) int              // Count of the events
	last    map[string]T             // by Object of the events
}

func newSpecTracker[T any](j *journal, kind evidence.EventKind, changes func(was, is T) []string) *specTracker[T] {
	return &specTracker[T]{journal: j, kind: kind, changes: changes, about: func(T) string { return "" },
		count: func(T) int { return 0 }, last: map[string]T{}}
}

// see takes in an object that exists, or did so already when the watch began. The caller holds the lock.
func (t *specTracker[T]) see(object string, is T, existed bool) {
	was, known := t.last[object]
	t.last[object] = is
	switch {
	case known:
		if changes := t.changes(was, is); len(changes) > 0 {
			t.say(object, strings.Join(changes, "; "), is)
		}
	case !existed:
		t.say(object, "created"+t.about(is), is)
	}
}

// lose takes in that an object does not exist any more. The caller holds the lock.
func (t *specTracker[T]) lose(object string) {
	if was, known := t.last[object]; known {
		delete(t.last, object)
		t.say(object, "deleted"+t.about(was), *new(T))
	}
}

func (t *specTracker[T]) say(object, detail string, of T) {
	t.note(evidence.Event{Kind: t.kind, Object: object, Count: t.count(of), Detail: cut(detail)})
}

// A field is what a field of a spec was, and what it is.
type field struct {
	name    string
	was, is any // comparable
}

// changed says which fields have changed, such as "replicas 3 to 1".
func changed(fields ...field) (said []string) {
	value := func(v any) string {
		if text := fmt.Sprint(v); text != "" {
			return text
		}
		return "none"
	}
	for _, f := range fields {
		if f.was != f.is {
			said = append(said, f.name+" "+value(f.was)+" to "+value(f.is))
		}
	}
	return said
}
