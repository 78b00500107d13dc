//go:build linux

package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"slices"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A layout is how the kernel's ip_tables or ip6_tables lays out an entry of a table, in bytes.
type layout struct {
	family   byte
	domain   int    // of a socket whose options return the tables
	level    int    // of these options
	names    string // file with the names of the existing tables
	offsets  int    // in an entry: of the offsets of its target and of the next entry, 2 bytes each
	elements int    // size of the fixed part of an entry
}

func layouts() []layout {
	return []layout{
		{unix.NFPROTO_IPV4, unix.AF_INET, unix.SOL_IP, "/proc/net/ip_tables_names", 88, 112},
		{unix.NFPROTO_IPV6, unix.AF_INET6, unix.SOL_IPV6, "/proc/net/ip6_tables_names", 140, 168},
	}
}

// Socket options that read a table, and the size of the name their data begins with.
const (
	optionInfo    = 64
	optionEntries = 65
	tableName     = 32
)

// readLegacyTables returns the endpoints to which kube-proxy's chains in the nat tables of iptables-legacy lead, sorted and without
// repetition. It does not read a table that does not exist, since the kernel would create it.
func readLegacyTables() ([]netip.AddrPort, error) {
	var found []netip.AddrPort
	for _, l := range layouts() {
		names, err := os.ReadFile(l.names)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("read iptables-legacy: %w", err)
		}
		if !slices.Contains(strings.Fields(string(names)), "nat") {
			continue
		}
		entries, err := l.read("nat")
		if err == nil {
			found, err = l.collect(found, entries)
		}
		if err != nil {
			return nil, fmt.Errorf("read iptables-legacy: %w", err)
		}
	}
	slices.SortFunc(found, netip.AddrPort.Compare)
	return slices.Compact(found), nil
}

// read returns all entries of a table, as of one moment.
func (l layout) read(table string) ([]byte, error) {
	const size, sizeInInfo, header = tableName, 80, 40
	fd, err := unix.Socket(l.domain, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open socket: %w", err)
	}
	defer unix.Close(fd)
	const attempts = 10
	for range attempts {
		info := make([]byte, 84)
		copy(info, table)
		if err := option(fd, l.level, optionInfo, info); err != nil {
			return nil, fmt.Errorf("get info of table %s: %w", table, err)
		}
		length := binary.NativeEndian.Uint32(info[sizeInInfo:])
		entries := make([]byte, header+length)
		copy(entries, table)
		binary.NativeEndian.PutUint32(entries[size:], length)
		err := option(fd, l.level, optionEntries, entries)
		if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINVAL) { // its size changed in between
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("get entries of table %s: %w", table, err)
		}
		return entries[header:], nil
	}
	return nil, fmt.Errorf("get entries of table %s: its size changed %d times", table, attempts)
}

// option gets a socket option whose arguments and result are in the same memory.
func option(fd, level, name int, memory []byte) error {
	length := uint32(len(memory))
	_, _, errno := unix.Syscall6(unix.SYS_GETSOCKOPT, uintptr(fd), uintptr(level), uintptr(name),
		uintptr(unsafe.Pointer(&memory[0])), uintptr(unsafe.Pointer(&length)), 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// collect adds the destinations of the chains that kube-proxy's first chain leads to.
//
// A chain begins after an entry whose target is ERROR, which has the chain's name, and ends at the next such entry.
func (l layout) collect(found []netip.AddrPort, table []byte) ([]netip.AddrPort, error) {
	const first = kubeChains + "SERVICES"
	// Both by the offset of a chain's first entry: the chains that it jumps to, and its destinations.
	jumps, destinations := map[int][]int{}, map[int][]netip.AddrPort{}
	chain, begin := 0, []int{}
	for at := 0; at < len(table); {
		target, size, err := l.target(table[at:])
		if err != nil {
			return nil, fmt.Errorf("entry at %d: %w", at, err)
		}
		switch name, options := target.name, target.options; name {
		case "ERROR":
			chain = at + size
			if unix.ByteSliceToString(options) == first {
				begin = append(begin, chain)
			}
		case "":
			if len(options) < 4 {
				return nil, fmt.Errorf("entry at %d: it is cut off", at)
			}
			if jump := int32(binary.NativeEndian.Uint32(options)); jump > 0 {
				jumps[chain] = append(jumps[chain], int(jump))
			}
		case "DNAT":
			if to := dnatDestination(l.family, target.revision, options); to.IsValid() {
				destinations[chain] = append(destinations[chain], to)
			}
		}
		at += size
	}
	for at := range reachable(begin, func(at int) []int { return jumps[at] }) {
		found = append(found, destinations[at]...)
	}
	return found, nil
}

// A target is what an entry does with the packets it matches.
type target struct {
	name     string // empty: a verdict or a jump to a chain
	revision int
	options  []byte
}

// target returns the target of the first entry of the table, and the size of the entry.
func (l layout) target(table []byte) (target, int, error) {
	const nameAt, revisionAt, header = 2, 31, 32
	if len(table) < l.elements {
		return target{}, 0, errors.New("it is cut off")
	}
	begin := int(binary.NativeEndian.Uint16(table[l.offsets:]))
	size := int(binary.NativeEndian.Uint16(table[l.offsets+2:]))
	if begin < l.elements || size < begin+header || size > len(table) {
		return target{}, 0, errors.New("it is cut off")
	}
	t := table[begin:size]
	return target{unix.ByteSliceToString(t[nameAt:revisionAt]), int(t[revisionAt]), t[header:]}, size, nil
}
