package conformance

import (
	"bytes"
	"errors"
	"testing"
)

func TestLinesOfSeveralSuitesStayWhole(t *testing.T) {
	var out bytes.Buffer
	said := &prefixed{to: &out}
	control, rollout := said.as("control"), said.as("rollout")
	for _, w := range []struct {
		to   interface{ Write([]byte) (int, error) }
		text string
	}{{control, "under"}, {rollout, "drained: pass\ndrained-"}, {control, "way\n"}, {rollout, "longer: pass\n"}} {
		if n, err := w.to.Write([]byte(w.text)); n != len(w.text) || err != nil {
			t.Fatal(n, err)
		}
	}
	if _, err := control.Write([]byte("killed")); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(control.Close(), rollout.Close()); err != nil {
		t.Fatal(err)
	}
	if want := "rollout | drained: pass\ncontrol | underway\nrollout | drained-longer: pass\ncontrol | killed\n"; out.String() != want {
		t.Errorf("got\n%swant\n%s", &out, want)
	}
}
