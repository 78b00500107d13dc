//go:build linux

package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"io"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
)

// readIPVS returns the real servers of this network namespace.
func readIPVS() ([]netip.AddrPort, error) {
	f, err := os.Open("/proc/net/ip_vs")
	if err != nil {
		return nil, fmt.Errorf("read ipvs: %w", err)
	}
	defer f.Close()
	servers, err := parseRealServers(f)
	if err != nil {
		return nil, fmt.Errorf("read ipvs: %w", err)
	}
	return servers, nil
}

// parseRealServers returns the real servers that new connections may go to, sorted and without repetition. Each has a line
//
//	-> 0AF40103:1F90      Masq    1      3          0
//
// below its virtual server: address and port in hexadecimal digits, an IPv6 address in brackets, then how
// packets are forwarded, the weight, and the active and the inactive connections.
func parseRealServers(table io.Reader) ([]netip.AddrPort, error) {
	var servers []netip.AddrPort
	lines := bufio.NewScanner(table)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 || fields[0] != "->" || fields[1] == "RemoteAddress:Port" {
			continue
		}
		weight, err := strconv.ParseInt(fields[3], 10, 32)
		if err != nil {
			return nil, fmt.Errorf("weight in %q: %w", lines.Text(), err)
		}
		if weight == 0 {
			continue
		}
		server, err := parseServer(fields[1])
		if err != nil {
			return nil, fmt.Errorf("real server in %q: %w", lines.Text(), err)
		}
		servers = append(servers, server)
	}
	slices.SortFunc(servers, netip.AddrPort.Compare)
	return slices.Compact(servers), lines.Err()
}

func parseServer(text string) (netip.AddrPort, error) {
	if strings.HasPrefix(text, "[") {
		address, port, _ := strings.Cut(text[1:], "]:")
		ip, err := netip.ParseAddr(address)
		if err != nil {
			return netip.AddrPort{}, err
		}
		number, err := strconv.ParseUint(port, 16, 16)
		return netip.AddrPortFrom(ip, uint16(number)), err
	}
	address, port, _ := strings.Cut(text, ":")
	bytes, err := hex.DecodeString(address)
	if err != nil {
		return netip.AddrPort{}, err
	}
	ip, ok := netip.AddrFromSlice(bytes)
	if !ok {
		return netip.AddrPort{}, fmt.Errorf("address of %d bytes", len(bytes))
	}
	number, err := strconv.ParseUint(port, 16, 16)
	return netip.AddrPortFrom(ip, uint16(number)), err
}
