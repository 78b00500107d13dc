//go:build linux

package main

import (
	"encoding/binary"
	"net/netip"

	"golang.org/x/sys/unix"
)

// A rule is the part of one nf_tables rule that decides where a packet goes.
type rule struct {
	chains []string       // chains it may jump to
	maps   []string       // maps with chains it may jump to
	to     netip.AddrPort // destination it may set itself
	choice choice         // map of destinations it may set
}

// A choice is a map whose values are destinations, with the layout of a value. Without a name there is none.
type choice struct {
	name          string
	family        byte
	address, port uint64 // offsets in the value, in bytes
}

// destination returns the destination in a value of the map.
func (c choice) destination(value []byte) netip.AddrPort {
	size := uint64(len(value))
	return endpoint(c.family, value[min(c.address, size):], value[min(c.port, size):])
}

// registers is the memory of a rule that runs: the verdict register, then four registers of 16 bytes, which are also
// sixteen of 4.
type registers [5 * 16]byte

// offset returns where in the memory a register is, by its number in messages.
func offset(number uint64) uint64 {
	const wide, firstNarrow, size = 16, unix.NFT_REG32_00, uint64(len(registers{}))
	if number < firstNarrow {
		return min(number*wide, size)
	}
	return min(wide+(number-firstNarrow)*4, size)
}

// An execution is the known state of a rule that has run up to one of its expressions. It shows where a
// destination comes from.
type execution struct {
	rule
	memory registers // constants loaded so far
	loaded string    // map whose value was loaded last; empty: a constant was
	at     uint64    // offset in memory of that value
}

// parseRule parses the expressions of a rule in a table of the family.
func parseRule(family byte, expressions []byte) (rule, error) {
	var x execution
	err := eachAttribute(expressions, func(_ int, element []byte) error {
		expression, err := parseAttributes(element)
		if err != nil {
			return err
		}
		data, err := parseAttributes(expression[unix.NFTA_EXPR_DATA])
		if err != nil {
			return err
		}
		switch unix.ByteSliceToString(expression[unix.NFTA_EXPR_NAME]) {
		case "immediate":
			return x.immediate(data)
		case "lookup":
			x.lookup(data)
		case "nat":
			x.translate(data)
		case "target":
			if unix.ByteSliceToString(data[unix.NFTA_TARGET_NAME]) == "DNAT" {
				x.to = dnatDestination(family, int(numberOf(data[unix.NFTA_TARGET_REV])), data[unix.NFTA_TARGET_INFO])
			}
		}
		return nil
	})
	return x.rule, err
}

func (x *execution) immediate(data attributes) error {
	value, err := parseAttributes(data[unix.NFTA_IMMEDIATE_DATA])
	if err != nil {
		return err
	}
	if constant := value[unix.NFTA_DATA_VALUE]; constant != nil {
		copy(x.memory[offset(numberOf(data[unix.NFTA_IMMEDIATE_DREG])):], constant)
		x.loaded = ""
	}
	chain, err := verdictChain(value)
	if chain != "" {
		x.chains = append(x.chains, chain)
	}
	return err
}

func (x *execution) lookup(data attributes) {
	register := data[unix.NFTA_LOOKUP_DREG]
	name := unix.ByteSliceToString(data[unix.NFTA_LOOKUP_SET])
	switch {
	case register == nil: // a set that must contain the packet
	case numberOf(register) == unix.NFT_REG_VERDICT:
		x.maps = append(x.maps, name)
	default:
		x.loaded, x.at = name, offset(numberOf(register))
	}
}

func (x *execution) translate(data attributes) {
	address, port := data[unix.NFTA_NAT_REG_ADDR_MIN], data[unix.NFTA_NAT_REG_PROTO_MIN]
	if numberOf(data[unix.NFTA_NAT_TYPE]) != unix.NFT_NAT_DNAT || address == nil || port == nil {
		return
	}
	family, a, p := byte(numberOf(data[unix.NFTA_NAT_FAMILY])), offset(numberOf(address)), offset(numberOf(port))
	if x.loaded == "" {
		x.to = endpoint(family, x.memory[a:], x.memory[p:])
	} else if a >= x.at && p >= x.at {
		x.choice = choice{x.loaded, family, a - x.at, p - x.at}
	}
}

// verdictChain returns the chain in the data of a verdict; empty for data of another kind.
func verdictChain(data attributes) (string, error) {
	verdict, err := parseAttributes(data[unix.NFTA_DATA_VERDICT])
	return unix.ByteSliceToString(verdict[unix.NFTA_VERDICT_CHAIN]), err
}

// dnatDestination returns the endpoint in the options of an iptables DNAT target of the given revision, or the
// zero value unless they have both an address and a port.
func dnatDestination(family byte, revision int, options []byte) netip.AddrPort {
	const hasAddress, hasPort = 1, 2
	flags, address, port := 0, 4, 36
	if revision == 0 {
		flags, address, port = 4, 8, 16
	}
	if len(options) < port+2 || ^binary.NativeEndian.Uint32(options[flags:])&(hasAddress|hasPort) != 0 {
		return netip.AddrPort{}
	}
	return endpoint(family, options[address:], options[port:])
}

// endpoint returns the address and port at the beginning of two slices, or the zero value if one of them is missing.
func endpoint(family byte, address, port []byte) netip.AddrPort {
	size := 4
	if family == unix.NFPROTO_IPV6 {
		size = 16
	}
	if len(address) < size || len(port) < 2 || binary.BigEndian.Uint16(port) == 0 {
		return netip.AddrPort{}
	}
	ip, _ := netip.AddrFromSlice(address[:size])
	return netip.AddrPortFrom(ip, binary.BigEndian.Uint16(port))
}
