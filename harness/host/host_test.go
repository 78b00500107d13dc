package host

import (
	"testing"

	"example.com/rollcall/harness/dataplane"
)

func TestSupports(t *testing.T) {
	bare := dataplane.Kernel{Release: "6.18"}
	for mode, want := range map[string]bool{"iptables": true, "nftables": false, "ipvs": false} {
		supported, because := dataplane.Of(mode).Supported(bare)
		if supported != want || because == "" {
			t.Errorf("%s: %v, %q", mode, supported, because)
		}
	}
	full := dataplane.Kernel{NFTables: true, IPVS: true}
	for _, mode := range []string{"nftables", "ipvs"} {
		if supported, because := dataplane.Of(mode).Supported(full); !supported {
			t.Errorf("%s: %q", mode, because)
		}
	}
}
