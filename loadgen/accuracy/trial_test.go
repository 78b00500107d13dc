package main

import (
	"testing"
	"time"

	"rollcall/harness/evidence"
	"rollcall/loadgen"
)

// TestTrial drives real lanes. How exact they are depends on the machine, what they find does not.
func TestTrial(t *testing.T) {
	for _, k := range []kind{clean, refused, reset, stalled, wrongServer, mixed} {
		for _, conn := range []evidence.Conn{evidence.Fresh, evidence.Reused} {
			t.Run(string(k)+" "+string(conn), func(t *testing.T) {
				t.Parallel()
				tr := trial{kind: k, conn: conn, rate: 200, quiet: 50 * time.Millisecond}
				if k != clean {
					tr.lengths = []time.Duration{100 * time.Millisecond, 50 * time.Millisecond}
				}
				recording, err := tr.run(t.Context(), loadgen.NewLocalPorts())
				if err != nil {
					t.Fatal(err)
				}
				got, err := recording.measure()
				if err != nil {
					t.Fatal(err)
				}
				if got.requests == 0 || len(got.samples) != len(tr.lengths) {
					t.Errorf("%d requests, %d samples", got.requests, len(got.samples))
				}
				for _, s := range got.samples {
					if !s.found() || s.injected < s.length-tr.bar() && k != mixed {
						t.Errorf("a window of %s was injected as %s and measured as %s", s.length, s.injected, s.measured)
					}
				}
				if len(got.invented) > 0 || len(got.miscounted) > 0 {
					t.Errorf("invented %v, miscounted %q", got.invented, got.miscounted)
				}
			})
		}
	}
}
