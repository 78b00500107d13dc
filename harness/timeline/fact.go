package timeline

import (
	"rollcall/harness/evidence"
)

// Fact is what the scenario noted under a name last.
func (t Timeline) Fact(name string) (value string, ok bool) {
	noted, ok := t.FactEvent(name)
	return noted.Detail, ok
}

// FactEvent is the event by which it did so.
func (t Timeline) FactEvent(name string) (noted evidence.Event, ok bool) {
	for _, e := range t.Events {
		if e.Kind == evidence.Fact && e.Object == name {
			noted, ok = e, true
		}
	}
	return noted, ok
}
