//go:build linux

package main

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The tables are made after ip_vs_info_seq_show of the kernel; they were not recorded, since no kernel here has IP_VS.
func TestRealServersOfWeight(t *testing.T) {
	const head = "IP Virtual Server version 1.2.1 (size=4096)\nProt LocalAddress:Port Scheduler Flags\n" +
		"  -> RemoteAddress:Port Forward Weight ActiveConn InActConn\n"
	for _, tc := range []struct {
		sentence string
		table    string
		want     []netip.AddrPort
		fails    bool
	}{
		{"no virtual server", head, nil, false},
		{"a virtual server without real ones", head + "TCP  0A60000A:0035 rr \n", nil, false},
		{"two real servers, in order", head + "TCP  0A600001:01BB rr \n" +
			"  -> 0AF40203:1F90      Masq    1      3          0         \n" +
			"  -> 0AF40103:1F90      Masq    1      0          12        \n", endpoints("10.244.1.3:8080", "10.244.2.3:8080"), false},
		{"one of weight 0 is kept for its connections alone", head + "TCP  0A600001:01BB rr \n" +
			"  -> 0AF40103:1F90      Masq    0      1          0         \n" +
			"  -> 0AF40203:1F90      Masq    1      3          0         \n", endpoints("10.244.2.3:8080"), false},
		{"one of weight 0 in one Service and not in the other", head + "TCP  0A600001:01BB rr \n" +
			"  -> 0AF40103:1F90      Masq    0      1          0         \n" + "TCP  0A600002:0050 rr persistent 10800 FFFFFFFF\n" +
			"  -> 0AF40103:1F90      Masq    1      0          0         \n", endpoints("10.244.1.3:8080"), false},
		{"the same behind two ports", head + "TCP  0A600001:01BB rr \n" +
			"  -> 0AF40103:1F90      Masq    1      1          0         \n" + "UDP  0A600001:0035 rr \n" +
			"  -> 0AF40103:1F90      Masq    1      0          0         \n", endpoints("10.244.1.3:8080"), false},
		{"an IPv6 address", head + "TCP  [fd00:0010:0096:0000:0000:0000:0000:0001]:01BB rr \n" +
			"  -> [fd00:0010:0244:0000:0000:0000:0000:0003]:1F90      Masq    1      0          0         \n", endpoints("[fd00:10:244::3]:8080"),
			false},
		{"an address that is none", head + "  -> 0AF401:1F90      Masq    1      0          0         \n", nil, true},
		{"a port that is none", head + "  -> 0AF40103:X      Masq    1      0          0         \n", nil, true},
		{"a weight that is none", head + "  -> 0AF40103:1F90      Masq    x      0          0         \n", nil, true},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			got, err := parseRealServers(strings.NewReader(tc.table))
			if diff := cmp.Diff(tc.want, got, cmp.Comparer(func(a, b netip.AddrPort) bool { return a == b })); diff != "" ||
				(err != nil) != tc.fails {
				t.Errorf("%v\n%s", err, diff)
			}
		})
	}
}
