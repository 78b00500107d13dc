package observe

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/utils/ptr"

	"example.com/rollcall/harness/evidence"
)

// controllersOfSlices write the EndpointSlices of Services, and set their label endpointslice.kubernetes.io/managed-by (ControllerName in
// pkg/controller/endpointslice and pkg/controller/endpointslicemirroring, v1.37).
var controllersOfSlices = []string{"endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io"}

// An editedSlice is what counts of an EndpointSlice that no controller of Kubernetes writes.
type editedSlice struct {
	ready map[string]bool // by address
	ports string
}

// newSliceEditTracker returns a tracker that notes changes of such EndpointSlices.
func newSliceEditTracker(j *journal) *specTracker[editedSlice] {
	t := newSpecTracker(j, evidence.SliceEdited, sliceChanges)
	t.about = func(s editedSlice) string { return ": " + cmp.Or(addresses(s.ready), "no address") }
	return t
}

// seeEdits takes in an EndpointSlice of the Service. The caller holds the lock.
func (t *endpointTracker) seeEdits(s *discoveryv1.EndpointSlice, existed bool) {
	if slices.Contains(controllersOfSlices, s.Labels[discoveryv1.LabelManagedBy]) {
		return
	}
	is := editedSlice{ready: map[string]bool{}}
	for _, e := range s.Endpoints {
		for _, address := range e.Addresses {
			is.ready[address] = conditionsOf(e).ready
		}
	}
	var ports []string
	for _, p := range s.Ports {
		ports = append(ports, strings.TrimSpace(fmt.Sprintf("%s %d/%s", ptr.Deref(p.Name, ""), ptr.Deref(p.Port, 0), ptr.Deref(p.Protocol, ""))))
	}
	is.ports = strings.Join(ports, ", ")
	t.edits.see(s.Name, is, existed)
}

// sliceChanges says what differs between two states of an EndpointSlice.
func sliceChanges(was, is editedSlice) (said []string) {
	without := func(a, b map[string]bool) map[string]bool {
		a = maps.Clone(a)
		maps.DeleteFunc(a, func(address string, _ bool) bool { _, in := b[address]; return in })
		return a
	}
	if added := without(is.ready, was.ready); len(added) > 0 {
		said = append(said, "added "+addresses(added))
	}
	if removed := without(was.ready, is.ready); len(removed) > 0 {
		said = append(said, "removed "+addresses(removed))
	}
	for _, address := range slices.Sorted(maps.Keys(is.ready)) {
		if before, in := was.ready[address]; in && before != is.ready[address] {
			said = append(said, address+map[bool]string{true: " ready", false: " not ready"}[is.ready[address]])
		}
	}
	return append(said, changed(field{"ports", was.ports, is.ports})...)
}

// addresses lists addresses, and says which are not ready.
func addresses(ready map[string]bool) string {
	var said []string
	for _, address := range slices.Sorted(maps.Keys(ready)) {
		if !ready[address] {
			address += " not ready"
		}
		said = append(said, address)
	}
	return strings.Join(said, ", ")
}
