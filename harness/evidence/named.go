package evidence

import (
	"cmp"
	"slices"
)

// Named returns the evidence with the ids of versions replaced by the names in [Run.VersionNames].
func (ev Evidence) Named() Evidence {
	if len(ev.Run.VersionNames) == 0 {
		return ev
	}
	name := func(version string) string { return cmp.Or(ev.Run.VersionNames[version], version) }
	ev.Run.OldVersion, ev.Run.NewVersion = name(ev.Run.OldVersion), name(ev.Run.NewVersion)
	ev.Events = slices.Clone(ev.Events)
	for i := range ev.Events {
		e := &ev.Events[i]
		e.By.Version = name(e.By.Version)
		if e.Kind == ReplicaSetScaled {
			e.Detail = name(e.Detail)
		}
	}
	if flows := ev.Flows; flows != nil {
		ev.Flows = func(yield func(Flow, error) bool) {
			for f, err := range flows {
				f.By.Version = name(f.By.Version)
				if !yield(f, err) {
					return
				}
			}
		}
	}
	return ev
}
