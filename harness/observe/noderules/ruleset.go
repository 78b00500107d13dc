//go:build linux

package main

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// A followedTable names a table to follow.
type followedTable struct {
	Family byte // unix.NFPROTO_IPV4 or NFPROTO_IPV6
	Name   string
	Chains string // what the names of the chains that count begin with; base chains always count
}

// A ruleset is what the followed tables hold.
type ruleset []*contents

// contents is what one table holds.
type contents struct {
	followedTable
	chains map[string]*chain
	sets   map[string]*set
}

type chain struct {
	base  bool // packets enter the table here
	rules map[uint64]rule
}

// A set holds its elements by their keys if it is a map; others stay empty.
type set struct {
	handle   uint64
	isMap    bool
	elements map[string]element
}

// An element of a map is a chain to go on in, or a value.
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

// follows reports whether a message is about one of the tables.
func (rs ruleset) follows(m message) bool { return rs.of(m) != nil }

func (rs ruleset) of(m message) *contents {
	name := table(m)
	for _, c := range rs {
		if c.Family == m.Family && c.Name == name {
			return c
		}
	}
	return nil
}

// table is the name of the table concerned, empty in messages about none: every kind has it first.
func table(m message) string {
	const nameOfTable = 1
	a, err := parseAttributes(m.Body)
	if err != nil {
		return ""
	}
	return textOf(a[nameOfTable])
}

// apply changes the ruleset as the message says. It keeps nothing of the message's memory.
func (rs ruleset) apply(m message) error {
	c := rs.of(m)
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
		c.chain(textOf(a[unix.NFTA_CHAIN_NAME])).base = a[unix.NFTA_CHAIN_HOOK] != nil
	case unix.NFT_MSG_DELCHAIN:
		delete(c.chains, textOf(a[unix.NFTA_CHAIN_NAME]))
	case unix.NFT_MSG_NEWRULE:
		r, err := parseRule(c.Family, a[unix.NFTA_RULE_EXPRESSIONS])
		c.chain(textOf(a[unix.NFTA_RULE_CHAIN])).rules[numberOf(a[unix.NFTA_RULE_HANDLE])] = r
		return err
	case unix.NFT_MSG_DELRULE:
		delete(c.chain(textOf(a[unix.NFTA_RULE_CHAIN])).rules, numberOf(a[unix.NFTA_RULE_HANDLE]))
	case unix.NFT_MSG_NEWSET:
		c.newSet(a)
	case unix.NFT_MSG_DELSET:
		delete(c.sets, textOf(a[unix.NFTA_SET_NAME]))
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

// newSet makes a set. The end of a set that belonged to a rule is not announced, and its name is given
// again; a set that is only added again keeps its handle.
func (c *contents) newSet(a attributes) {
	const handleOfSet = 16
	name, handle := textOf(a[unix.NFTA_SET_NAME]), numberOf(a[handleOfSet])
	if old := c.sets[name]; old == nil || old.handle != handle {
		isMap := numberOf(a[unix.NFTA_SET_FLAGS])&unix.NFT_SET_MAP != 0
		c.sets[name] = &set{handle: handle, isMap: isMap, elements: map[string]element{}}
	}
}

func (c *contents) elements(kind int, a attributes) error {
	s := c.sets[textOf(a[unix.NFTA_SET_ELEM_LIST_SET])]
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

// maps are the names of the sets that are maps.
func (c *contents) maps() []string {
	var names []string
	for name, s := range c.sets {
		if s.isMap {
			names = append(names, name)
		}
	}
	return names
}

// endpoints are the destinations that a packet which enters the tables can be given, in order, each once: those of
// rules in chains that lead on from a base chain. A chain that is left over but leads nowhere does not count.
func (rs ruleset) endpoints() []netip.AddrPort {
	var found []netip.AddrPort
	for _, c := range rs {
		c.walk(func(to netip.AddrPort) { found = append(found, to) })
	}
	slices.SortFunc(found, netip.AddrPort.Compare)
	return slices.Compact(found)
}

// walk goes from chain to chain and hands every destination on the way to do.
func (c *contents) walk(do func(netip.AddrPort)) {
	var next []string
	met := map[string]bool{}
	meet := func(name string) {
		if name != "" && !met[name] && strings.HasPrefix(name, c.Chains) {
			met[name] = true
			next = append(next, name)
		}
	}
	for name, ch := range c.chains {
		if ch.base {
			met[name] = true
			next = append(next, name)
		}
	}
	for len(next) > 0 {
		name := next[len(next)-1]
		next = next[:len(next)-1]
		ch := c.chains[name]
		if ch == nil {
			continue
		}
		for _, r := range ch.rules {
			for _, to := range r.chains {
				meet(to)
			}
			for _, m := range r.maps {
				for _, e := range c.elementsOf(m) {
					meet(e.chain)
				}
			}
			if strings.HasPrefix(name, c.Chains) {
				c.destinations(r, do)
			}
		}
	}
}

// destinations hands those of one rule to do.
func (c *contents) destinations(r rule, do func(netip.AddrPort)) {
	if r.to.IsValid() {
		do(r.to)
	}
	for _, e := range c.elementsOf(r.choice.name) {
		if to := r.choice.among(e.value); to.IsValid() {
			do(to)
		}
	}
}

func (c *contents) elementsOf(name string) map[string]element {
	if s := c.sets[name]; s != nil {
		return s.elements
	}
	return nil
}
