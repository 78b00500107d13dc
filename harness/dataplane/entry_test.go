package dataplane_test

import (
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.com/rollcall/harness/dataplane"
)

// Rules as kube-proxy writes them, printed by iptables-save v1.8.9.
const (
	iptablesOfTwo = `*nat
:KUBE-SEP-A - [0:0]
:KUBE-SERVICES - [0:0]
-A KUBE-MARK-MASQ -j MARK --set-xmark 0x4000/0x4000
-A KUBE-SEP-A -s 10.244.1.5/32 -m comment --comment "a/web:http" -j KUBE-MARK-MASQ
-A KUBE-SEP-A -p tcp -m comment --comment "a/web:http" -m tcp -j DNAT --to-destination 10.244.1.5:8080
-A KUBE-SEP-B -s 10.244.2.7/32 -m comment --comment "a/web:http" -j KUBE-MARK-MASQ
-A KUBE-SEP-B -p tcp -m comment --comment "a/web:http" -m tcp -j DNAT --to-destination 10.244.2.7:8080
-A KUBE-SERVICES -d 10.96.1.2/32 -p tcp -m comment --comment "a/web:admin cluster IP" -m tcp --dport 8000 -j KUBE-SVC-ADMIN
-A KUBE-SERVICES -d 10.96.1.2/32 -p tcp -m comment --comment "a/web:http cluster IP" -m tcp --dport 80 -j KUBE-SVC-WEB
-A KUBE-SVC-WEB ! -s 10.244.0.0/16 -d 10.96.1.2/32 -p tcp -m comment --comment "a/web:http cluster IP" -m tcp --dport 80 -j KUBE-MARK-MASQ
-A KUBE-SVC-WEB -m comment --comment "a/web:http -> 10.244.1.5:8080" -m statistic --mode random --probability 0.50000000000 -j KUBE-SEP-A
-A KUBE-SVC-WEB -m comment --comment "a/web:http -> 10.244.2.7:8080" -j KUBE-SEP-B
COMMIT
`
	iptablesOfNone = `*nat
:KUBE-SERVICES - [0:0]
-A KUBE-SERVICES -d 10.96.1.20/32 -p tcp -m comment --comment "a/db:sql cluster IP" -m tcp --dport 80 -j KUBE-SVC-DB
-A KUBE-SERVICES -m comment --comment "kubernetes service nodeports" -m addrtype --dst-type LOCAL -j KUBE-NODEPORTS
COMMIT
`
)

// Rules as kube-proxy v1.37 writes them, printed by nft v1.0.6; one Service as v1.35 writes all.
const nftables = `table ip kube-proxy {
	map no-endpoint-services {
		type ipv4_addr . inet_proto . inet_service : verdict
		comment "vmap to drop or reject packets to services with no endpoints"
		elements = { 10.96.1.6 . tcp . 80 comment "a/away:http" : goto reject-chain }
	}

	map service-ips {
		type ipv4_addr . inet_proto . inet_service : verdict
		comment "ClusterIP, ExternalIP and LoadBalancer IP traffic"
		elements = { 10.96.1.2 . tcp . 80 : goto service-AAAAAAAA-a/web/tcp/http,
			     10.96.1.2 . udp . 53 : goto service-BBBBBBBB-a/web/udp/dns,
			     10.96.1.3 . tcp . 80 : goto service-CCCCCCCC-a/one/tcp/http,
			     10.96.1.4 . tcp . 80 : goto service-DDDDDDDD-a/old/tcp/http }
	}

	chain mark-for-masquerade {
		meta mark set meta mark | 0x00004000
	}

	chain service-AAAAAAAA-a/web/tcp/http {
		ip daddr 10.96.1.2 tcp dport 80 ip saddr != 10.244.0.0/16 jump mark-for-masquerade
		meta l4proto tcp dnat ip to numgen random mod 2 map { 0 : 10.244.1.5 . 8080, 1 : 10.244.2.7 . 8080 }
	}

	chain service-CCCCCCCC-a/one/tcp/http {
		ip daddr 10.96.1.3 tcp dport 80 ip saddr != 10.244.0.0/16 jump mark-for-masquerade
		meta l4proto tcp dnat to 10.244.1.6:8080
	}

	chain service-DDDDDDDD-a/old/tcp/http {
		numgen random mod 1 vmap { 0 : goto endpoint-EEEEEEEE-a/old/tcp/http__10.244.1.7/8080 }
	}

	chain endpoint-EEEEEEEE-a/old/tcp/http__10.244.1.7/8080 {
		ip saddr 10.244.1.7 jump mark-for-masquerade
		meta l4proto tcp dnat to 10.244.1.7:8080
	}

	chain endpoint-FFFFFFFF-a/old/tcp/http__10.244.1.8/8080 {
		meta l4proto tcp dnat to 10.244.1.8:8080
	}
}
`

const nftablesOfIPv6 = `table ip6 kube-proxy {
	map service-ips {
		type ipv6_addr . inet_proto . inet_service : verdict
		elements = { fd00:10:96::2 . tcp . 80 : goto service-AAAAAAAA-a/web/tcp/http }
	}

	chain service-AAAAAAAA-a/web/tcp/http {
		meta l4proto tcp dnat ip6 to numgen random mod 2 map { 0 : fd00:10:244::5 . 8080, 1 : fd00:10:244:1::7 . 8080 }
	}
}
`

func TestEntry(t *testing.T) {
	to := func(list ...string) (all []netip.AddrPort) {
		for _, text := range list {
			all = append(all, netip.MustParseAddrPort(text))
		}
		return all
	}
	for _, row := range []struct {
		sentence, listed, service string
		plane                     dataplane.Plane
		want                      dataplane.Entry
	}{
		{"iptables has a rule for each endpoint, and its chain", iptablesOfTwo, "10.96.1.2:80", dataplane.IPTables, dataplane.Entry{
			Chain: "KUBE-SVC-WEB",
			Rules: []string{
				`-A KUBE-SVC-WEB -m comment --comment "a/web:http -> 10.244.1.5:8080" ` +
					"-m statistic --mode random --probability 0.50000000000 -j KUBE-SEP-A",
				`-A KUBE-SEP-A -p tcp -m comment --comment "a/web:http" -m tcp -j DNAT --to-destination 10.244.1.5:8080`,
				`-A KUBE-SVC-WEB -m comment --comment "a/web:http -> 10.244.2.7:8080" -j KUBE-SEP-B`,
				`-A KUBE-SEP-B -p tcp -m comment --comment "a/web:http" -m tcp -j DNAT --to-destination 10.244.2.7:8080`,
			},
			To: to("10.244.1.5:8080", "10.244.2.7:8080"),
		}},
		{"a Service of another address is another's", iptablesOfNone, "10.96.1.2:80", dataplane.IPTables, dataplane.Entry{}},
		{"nftables has a map of several endpoints", nftables, "10.96.1.2:80", dataplane.NFTables, dataplane.Entry{
			Chain: "service-AAAAAAAA-a/web/tcp/http",
			Rules: []string{"meta l4proto tcp dnat ip to numgen random mod 2 map { 0 : 10.244.1.5 . 8080, 1 : 10.244.2.7 . 8080 }"},
			To:    to("10.244.1.5:8080", "10.244.2.7:8080"),
		}},
		{"nftables needs no map for one", nftables, "10.96.1.3:80", dataplane.NFTables, dataplane.Entry{
			Chain: "service-CCCCCCCC-a/one/tcp/http",
			Rules: []string{"meta l4proto tcp dnat to 10.244.1.6:8080"},
			To:    to("10.244.1.6:8080"),
		}},
		{"older nftables rules lead to a chain of each endpoint, and a chain that is left over does not count", nftables, "10.96.1.4:80",
			dataplane.NFTables, dataplane.Entry{
				Chain: "service-DDDDDDDD-a/old/tcp/http",
				Rules: []string{
					"numgen random mod 1 vmap { 0 : goto endpoint-EEEEEEEE-a/old/tcp/http__10.244.1.7/8080 }",
					"meta l4proto tcp dnat to 10.244.1.7:8080",
				},
				To: to("10.244.1.7:8080"),
			}},
		{"a Service without endpoints has a verdict in another map", nftables, "10.96.1.6:80", dataplane.NFTables, dataplane.Entry{}},
		{"IPv6 has colons", nftablesOfIPv6, "[fd00:10:96::2]:80", dataplane.NFTables, dataplane.Entry{
			Chain: "service-AAAAAAAA-a/web/tcp/http",
			Rules: []string{
				"meta l4proto tcp dnat ip6 to numgen random mod 2 map { 0 : fd00:10:244::5 . 8080, 1 : fd00:10:244:1::7 . 8080 }",
			},
			To: to("[fd00:10:244::5]:8080", "[fd00:10:244:1::7]:8080"),
		}},
	} {
		got := row.plane.Entry(row.listed, netip.MustParseAddrPort(row.service))
		if diff := cmp.Diff(row.want, got, cmpopts.EquateComparable(netip.AddrPort{})); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", row.sentence, diff)
		}
	}
}
