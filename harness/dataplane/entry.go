package dataplane

import (
	"net"
	"net/netip"
	"regexp"
)

// An Entry is what the rules of a node make of new connections to an address of a Service.
type Entry struct {
	Chain string           // to which they lead; empty: to none
	Rules []string         // of that chain and of those to which it leads, by which endpoints are chosen, as the node's tool prints them
	To    []netip.AddrPort // these endpoints
}

// chains are the rules of each chain, in order.
type chains map[string][]string

var (
	target   = regexp.MustCompile(`(?:-[jg]|goto|jump) ([^\s,}]+)`)                              // a chain, or something that is none
	endpoint = regexp.MustCompile(`(?:--to-destination|dnat to) (\S+)|: ([0-9a-f.:]+) \. (\d+)`) // itself, or a value of a map
)

// entry returns where the rule of a chain leads that matches; its first group is the next chain.
func (c chains) entry(of string, matches *regexp.Regexp) (is Entry) {
	for _, rule := range c[of] {
		if found := matches.FindStringSubmatch(rule); found != nil {
			is.Chain = found[1]
			is.Rules, is.To = c.follow(is.Chain)
			break
		}
	}
	return is
}

// follow returns the rules of a chain that lead to endpoints, each before those of the chains to which it leads, and the endpoints. Other
// rules only mark packets. The kernel refuses chains that lead back to themselves.
func (c chains) follow(chain string) (rules []string, to []netip.AddrPort) {
	for _, rule := range c[chain] {
		var further []string
		var here []netip.AddrPort
		for _, found := range endpoint.FindAllStringSubmatch(rule, -1) {
			text := found[1]
			if text == "" {
				text = net.JoinHostPort(found[2], found[3])
			}
			if address, err := netip.ParseAddrPort(text); err == nil {
				here = append(here, address)
			}
		}
		for _, found := range target.FindAllStringSubmatch(rule, -1) {
			next, addresses := c.follow(found[1])
			further, here = append(further, next...), append(here, addresses...)
		}
		if len(here) > 0 {
			rules, to = append(append(rules, rule), further...), append(to, here...)
		}
	}
	return rules, to
}
