package record

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
)

func TestShareClocks(t *testing.T) {
	reading := func(node string) evidence.ClockReading { return evidence.ClockReading{Node: node, Offset: time.Second} }
	for _, row := range []struct {
		sentence string
		read     string
		boots    map[string]string
		want     []string // nodes, after the one that was read
	}{
		{"nodes of one kernel have one clock, in the order of their names", "c",
			map[string]string{"f": "x", "a": "x", "e": "x", "c": "x", "b": "x", "d": "x"}, []string{"a", "b", "d", "e", "f"}},
		{"a node of another boot has a clock of its own", "a", map[string]string{"a": "x", "b": "y"}, nil},
		{"a node whose boot is not known has one too", "a", map[string]string{"a": "", "b": ""}, nil},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			want := []evidence.ClockReading{reading(row.read)}
			for _, node := range row.want {
				want = append(want, reading(node))
			}
			if diff := cmp.Diff(want, shareClocks([]evidence.ClockReading{reading(row.read)}, row.boots)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
