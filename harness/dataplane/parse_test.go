package dataplane

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/usage"
)

func TestParse(t *testing.T) {
	for _, row := range []struct {
		sentence, list string
		want           []string
		refused        bool
	}{
		{"nothing is all", "", Names(), false},
		{"commas and spaces separate", "nftables, iptables", []string{"nftables", "iptables"}, false},
		{"a mode named twice runs once", "ipvs,ipvs", []string{"ipvs"}, false},
		{"an unknown mode is refused", "iptables,ebpf", nil, true},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			got, err := Parse(row.list)
			if diff := cmp.Diff(row.want, got); diff != "" || usage.Is(err) != row.refused {
				t.Errorf("%v %s", err, diff)
			}
		})
	}
}
