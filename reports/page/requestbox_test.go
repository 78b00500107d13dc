package page_test

import (
	"strings"
	"testing"
)

// The box of a request says how its pod is known, and when the rules of its client's node stopped routing there.
func TestARequestSaysWhenItsClientsNodeStoppedRouting(t *testing.T) {
	v := newVisit(t, 1440)
	v.open(written(t, recordedFolder(t)), "iptables.recorded.undrained")
	v.await(".plots")
	v.click(`[data-lane="worker2-fresh"][data-seq="148"]`)
	v.await(".request")
	box := ask[string](v, one(".request")+`.textContent`)
	for _, want := range []string{"as the only deleted pod that can have got it",
		"rollcall-iptables-worker2 stopped routing to the pod at 16.401 s, 0.668 s after the request"} {
		if !strings.Contains(box, want) {
			t.Errorf("the box does not say %q: %s", want, box)
		}
	}
}
