package timeline_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
)

func TestRPCTexts(t *testing.T) {
	tl := join(t, recording(nil, []evidence.Event{noted(10, evidence.RPCFailed, "a", "Unavailable: EOF"),
		noted(20, evidence.RPCFailed, "b", "Unavailable: EOF"), noted(30, evidence.RPCFailed, "a", "Aborted: no more"),
		noted(40, evidence.RPCFailed, "c", "Internal: of another lane"), noted(50, evidence.TLSFailed, "a", "alert")}))
	if diff := cmp.Diff([]string{"Unavailable: EOF", "Aborted: no more"}, tl.RPCTexts([]string{"a", "b"})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
