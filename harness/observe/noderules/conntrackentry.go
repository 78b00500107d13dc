//go:build linux

package main

import (
	"cmp"
	"encoding/binary"
	"net/netip"

	"golang.org/x/sys/unix"
)

// Types of attributes, and the kind of an event about a new entry (Linux v6.18, include/uapi/linux/netfilter/nfnetlink_conntrack.h).
const (
	newConnection = 0 // IPCTNL_MSG_CT_NEW

	ofOriginal = 1  // CTA_TUPLE_ORIG
	ofReply    = 2  // CTA_TUPLE_REPLY
	ofZone     = 18 // CTA_ZONE, absent for zone 0

	ofAddresses = 1 // CTA_TUPLE_IP
	ofProtocol  = 2 // CTA_TUPLE_PROTO
	ofTupleZone = 3 // CTA_TUPLE_ZONE

	source4, destination4 = 1, 2 // CTA_IP_V4_SRC, CTA_IP_V4_DST
	source6, destination6 = 3, 4 // CTA_IP_V6_SRC, CTA_IP_V6_DST

	number                      = 1    // CTA_PROTO_NUM
	sourcePort, destinationPort = 2, 3 // CTA_PROTO_SRC_PORT, CTA_PROTO_DST_PORT
)

// A connection is one entry of the table: a TCP connection in zone 0, or the zero value for all others. kube-proxy uses no
// zones; programs that use them have other entries for the same connection, whose destination kube-proxy did not choose.
type connection struct{ client, to, pod netip.AddrPort }

// parse parses an event about one entry.
func parse(m message) (connection, error) {
	a, err := parseAttributes(m.Body)
	if err != nil || m.Kind != newConnection || a[ofZone] != nil {
		return connection{}, err
	}
	client, to, errOriginal := parseTuple(a[ofOriginal])
	pod, _, errReply := parseTuple(a[ofReply])
	if err := cmp.Or(errOriginal, errReply); err != nil || !to.IsValid() {
		return connection{}, err
	}
	return connection{client, to, pod}, nil
}

// parseTuple returns source and destination, or zero values for protocols other than TCP.
func parseTuple(b []byte) (from, to netip.AddrPort, err error) {
	t, err := parseAttributes(b)
	addresses, errAddresses := parseAttributes(t[ofAddresses])
	protocol, errProtocol := parseAttributes(t[ofProtocol])
	if err = cmp.Or(err, errAddresses, errProtocol); err != nil {
		return from, to, err
	}
	if n := protocol[number]; t[ofTupleZone] != nil || len(n) == 1 && n[0] != unix.IPPROTO_TCP {
		return from, to, nil
	}
	if from, err = parseEnd(addresses[source4], addresses[source6], protocol[sourcePort]); err == nil {
		to, err = parseEnd(addresses[destination4], addresses[destination6], protocol[destinationPort])
	}
	return from, to, err
}

// parseEnd returns one end of a connection, which has either an IPv4 or an IPv6 address.
func parseEnd(ip4, ip6, port []byte) (netip.AddrPort, error) {
	address, ok := netip.AddrFromSlice(append(ip4[:len(ip4):len(ip4)], ip6...))
	if !ok || len(port) != 2 {
		return netip.AddrPort{}, errMalformed
	}
	return netip.AddrPortFrom(address, binary.BigEndian.Uint16(port)), nil
}
