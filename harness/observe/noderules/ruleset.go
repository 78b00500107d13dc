//go:build linux

package main

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

type followedTable struct {
	Family byte // unix.NFPROTO_IPV4 or NFPROTO_IPV6
	Name   string
	Chains string // prefix of the names of the chains that count; base chains always count
}

// A ruleset is the contents of the followed tables.
type ruleset []*contents

// contents has the chains and sets of one table.
type contents struct {
	followedTable
	chains map[string]*chain
	sets   map[string]*set
}

type chain struct {
	base  bool // packets enter the table here
	rules map[uint64]rule
}

// A set has its elements by key if it is a map; the elements of other sets are not kept.
type set struct {
	handle   uint64
	isMap    bool
	elements map[string]element
}

// An element of a map is a chain to jump to, or a value.
type element struct {
	chain string
	value []byte
}

func newRuleset(tables []followedTable) ruleset {
	var rs ruleset
	for _, t := range tables {
		c := &contents{followedTable: t}
		c.clear()
		rs = append(rs, c)
	}
	return rs
}

func (c *contents) clear() { c.chains, c.sets = map[string]*chain{}, map[string]*set{} }

// table returns the followed table that a message concerns, or nil.
func (rs ruleset) table(m message) *contents {
	name := tableOf(m)
	for _, c := range rs {
		if c.Family == m.Family && c.Name == name {
			return c
		}
	}
	return nil
}

// tableOf returns the name of the table that a message concerns, its first attribute, or "" if none.
func tableOf(m message) string {
	const nameOfTable = 1
	a, err := parseAttributes(m.Body)
	if err != nil {
		return ""
	}
	return unix.ByteSliceToString(a[nameOfTable])
}

// apply applies a message to the ruleset. It keeps nothing of the message's memory.
func (rs ruleset) apply(m message) error {
	c := rs.table(m)
	if c == nil {
		return nil
	}
	a, err := parseAttributes(m.Body)
	if err == nil {
		err = c.apply(m.Kind, a)
	}
	if err != nil {
		return fmt.Errorf("apply message %d about table %s: %w", m.Kind, c.Name, err)
	}
	return nil
}

func (c *contents) apply(kind int, a attributes) error {
	switch kind {
	case unix.NFT_MSG_DELTABLE:
		c.clear()
	case unix.NFT_MSG_NEWCHAIN:
		c.chain(unix.ByteSliceToString(a[unix.NFTA_CHAIN_NAME])).base = a[unix.NFTA_CHAIN_HOOK] != nil
	case unix.NFT_MSG_DELCHAIN:
		delete(c.chains, unix.ByteSliceToString(a[unix.NFTA_CHAIN_NAME]))
	case unix.NFT_MSG_NEWRULE:
		r, err := parseRule(c.Family, a[unix.NFTA_RULE_EXPRESSIONS])
		c.chain(unix.ByteSliceToString(a[unix.NFTA_RULE_CHAIN])).rules[numberOf(a[unix.NFTA_RULE_HANDLE])] = r
		return err
	case unix.NFT_MSG_DELRULE:
		delete(c.chain(unix.ByteSliceToString(a[unix.NFTA_RULE_CHAIN])).rules, numberOf(a[unix.NFTA_RULE_HANDLE]))
	case unix.NFT_MSG_NEWSET:
		c.newSet(a)
	case unix.NFT_MSG_DELSET:
		delete(c.sets, unix.ByteSliceToString(a[unix.NFTA_SET_NAME]))
	case unix.NFT_MSG_NEWSETELEM, unix.NFT_MSG_DELSETELEM:
		return c.elements(kind, a)
	}
	return nil
}

func (c *contents) chain(name string) *chain {
	if c.chains[name] == nil {
		c.chains[name] = &chain{rules: map[uint64]rule{}}
	}
	return c.chains[name]
}

// newSet creates a set. The kernel does not announce the end of a set that belonged to a rule, and reuses its name with a new
// handle. A set that is only added again keeps its handle.
func (c *contents) newSet(a attributes) {
	const handleOfSet = 16
	name, handle := unix.ByteSliceToString(a[unix.NFTA_SET_NAME]), numberOf(a[handleOfSet])
	if old := c.sets[name]; old == nil || old.handle != handle {
		isMap := numberOf(a[unix.NFTA_SET_FLAGS])&unix.NFT_SET_MAP != 0
		c.sets[name] = &set{handle: handle, isMap: isMap, elements: map[string]element{}}
	}
}

func (c *contents) elements(kind int, a attributes) error {
	s := c.sets[unix.ByteSliceToString(a[unix.NFTA_SET_ELEM_LIST_SET])]
	if s == nil || !s.isMap {
		return nil
	}
	return eachAttribute(a[unix.NFTA_SET_ELEM_LIST_ELEMENTS], func(_ int, b []byte) error {
		a, err := parseAttributes(b)
		if err != nil {
			return err
		}
		key := string(a[unix.NFTA_SET_ELEM_KEY])
		if kind == unix.NFT_MSG_DELSETELEM {
			delete(s.elements, key)
			return nil
		}
		data, err := parseAttributes(a[unix.NFTA_SET_ELEM_DATA])
		if err != nil {
			return err
		}
		chain, err := verdictChain(data)
		s.elements[key] = element{chain, slices.Clone(data[unix.NFTA_DATA_VALUE])}
		return err
	})
}

func (c *contents) maps() []string {
	var names []string
	for name, s := range c.sets {
		if s.isMap {
			names = append(names, name)
		}
	}
	return names
}

// endpoints returns the destinations that the tables can give a packet, sorted and without repetition: those of
// rules in chains that can be reached from a base chain. A chain that is left over but not reachable does not count.
func (rs ruleset) endpoints() []netip.AddrPort {
	var found []netip.AddrPort
	for _, c := range rs {
		found = append(found, c.endpoints()...)
	}
	slices.SortFunc(found, netip.AddrPort.Compare)
	return slices.Compact(found)
}

// endpoints returns the destinations of the table, in any order.
func (c *contents) endpoints() (found []netip.AddrPort) {
	var base []string
	for name, ch := range c.chains {
		if ch.base {
			base = append(base, name)
		}
	}
	for name := range reachable(base, c.next) {
		if !strings.HasPrefix(name, c.Chains) {
			continue
		}
		for _, r := range c.chain(name).rules {
			found = append(found, r.to)
			for _, e := range c.elementsOf(r.choice.name) {
				found = append(found, r.choice.destination(e.value))
			}
		}
	}
	return slices.DeleteFunc(found, func(to netip.AddrPort) bool { return !to.IsValid() })
}

// next returns the chains that count to which the rules of a chain may jump.
func (c *contents) next(name string) (chains []string) {
	for _, r := range c.chain(name).rules {
		chains = append(chains, r.chains...)
		for _, m := range r.maps {
			for _, e := range c.elementsOf(m) {
				chains = append(chains, e.chain)
			}
		}
	}
	return slices.DeleteFunc(chains, func(name string) bool { return c.chains[name] == nil || !strings.HasPrefix(name, c.Chains) })
}

// reachable returns what can be reached from the given keys, and those.
func reachable[K comparable](from []K, next func(K) []K) map[K]bool {
	met := map[K]bool{}
	for len(from) > 0 {
		at := from[len(from)-1]
		from = from[:len(from)-1]
		if !met[at] {
			met[at] = true
			from = append(from, next(at)...)
		}
	}
	return met
}

func (c *contents) elementsOf(name string) map[string]element {
	if s := c.sets[name]; s != nil {
		return s.elements
	}
	return nil
}
