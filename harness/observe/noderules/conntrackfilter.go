//go:build linux

package main

import (
	"encoding/binary"
	"math"
	"net/netip"
	"slices"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// A filterLayout has the offsets of attributes that the filter reads, in an event of one address family. They are fixed: the
// original tuple comes first, and what precedes a tuple's destination has a fixed size (Linux v6.18,
// net/netfilter/nf_conntrack_netlink.c, ctnetlink_conntrack_event and ctnetlink_dump_tuples; nf_conntrack_proto_tcp.c).
type filterLayout struct {
	address  uint32 // of the destination
	kind     int    // type of the address attribute
	size     int    // of the address
	protocol uint32
	port     uint32 // of the destination
}

var (
	layout4 = filterLayout{address: 36, kind: destination4, size: 4, protocol: 48, port: 64}
	layout6 = filterLayout{address: 48, kind: destination6, size: 16, protocol: 72, port: 88}
)

// Offsets of the address family and of the first attribute, and the least size of an event with all these attributes.
const (
	familyAt = unix.SizeofNlMsghdr
	firstAt  = familyAt + 4
	minSize  = 96
)

var (
	pass = bpf.RetConstant{Val: math.MaxUint32}
	drop = bpf.RetConstant{}
)

// filter returns a program that the kernel runs on each event before it enters the queue, so that other connections cost the
// listener nothing. It passes TCP connections to one of the destinations, and events that it does not recognize.
func filter(to []netip.AddrPort) []bpf.Instruction {
	four, six := layout4.filter(to), layout6.filter(to)
	program := []bpf.Instruction{
		bpf.LoadExtension{Num: bpf.ExtLen},
		bpf.JumpIf{Cond: bpf.JumpGreaterOrEqual, Val: minSize, SkipTrue: 1},
		pass,
		bpf.LoadAbsolute{Off: familyAt, Size: 1},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.AF_INET, SkipFalse: 1},
		bpf.Jump{Skip: 3}, // to four
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.AF_INET6, SkipFalse: 1},
		bpf.Jump{Skip: uint32(1 + len(four))}, // to six
		pass,
	}
	return slices.Concat(program, four, six)
}

func (l filterLayout) filter(to []netip.AddrPort) []bpf.Instruction {
	var program []bpf.Instruction
	recognize := func(at uint32, size, value int, otherwise bpf.Instruction) {
		program = append(program, bpf.LoadAbsolute{Off: at, Size: size},
			bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(value), SkipTrue: 1}, otherwise)
	}
	recognize(firstAt+2, 2, int(swapped(unix.NLA_F_NESTED|ofOriginal)), pass)
	recognize(l.address, 4, int(header(l.size, l.kind)), pass)
	recognize(l.protocol, 4, int(header(1, number)), pass)
	recognize(l.protocol+unix.SizeofNlAttr, 1, unix.IPPROTO_TCP, drop)
	recognize(l.port, 4, int(header(2, destinationPort)), pass)
	for _, d := range to {
		program = append(program, l.destination(d)...)
	}
	return append(program, drop)
}

// destination returns instructions that pass connections to it, and fall through for others.
func (l filterLayout) destination(d netip.AddrPort) []bpf.Instruction {
	address := d.Addr().AsSlice() // empty: any address
	if len(address) > 0 && len(address) != l.size {
		return nil
	}
	words := len(address) / 4
	otherwise := func(checks int) uint8 { return uint8(2*checks + 1) } // that follow
	program := []bpf.Instruction{
		bpf.LoadAbsolute{Off: l.port + unix.SizeofNlAttr, Size: 2},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(d.Port()), SkipFalse: otherwise(words)},
	}
	for i := range words {
		program = append(program,
			bpf.LoadAbsolute{Off: l.address + unix.SizeofNlAttr + uint32(4*i), Size: 4},
			bpf.JumpIf{Cond: bpf.JumpEqual, Val: binary.BigEndian.Uint32(address[4*i:]), SkipFalse: otherwise(words - 1 - i)})
	}
	return append(program, pass)
}

// header returns the header of an attribute as the filter loads it: the kernel writes it in native byte order, the filter loads
// in network byte order.
func header(size, kind int) uint32 {
	return uint32(swapped(unix.SizeofNlAttr+size))<<16 | uint32(swapped(kind))
}

func swapped(n int) uint16 {
	return binary.BigEndian.Uint16(binary.NativeEndian.AppendUint16(nil, uint16(n)))
}
