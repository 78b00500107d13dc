//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// A mirror is a copy of tables of this network namespace as of the last transaction it knows, kept up to date from the
// events that the kernel sends for every change. It is for one goroutine.
//
// The iptables of most systems writes into nf_tables too, so that a mirror serves both kube-proxy's nftables and iptables modes.
type mirror struct {
	tables   []followedTable
	events   *socket
	requests *socket

	rules      ruleset
	endpoints  []netip.AddrPort
	generation uint32 // number that the kernel increases with each transaction
	stale      bool   // an event was missed

	received []message // events not yet applied
	open     []message // events about the tables, of a transaction whose end has not come yet
}

// openMirror begins to listen and reads the tables. Tables that do not exist count as empty until they do. It needs
// CAP_NET_ADMIN in the network namespace.
func openMirror(tables ...followedTable) (*mirror, error) {
	events, err := openSocket(queueSize, nil, unix.NFNLGRP_NFTABLES)
	if err != nil {
		return nil, fmt.Errorf("nftables: listen: %w", err)
	}
	requests, err := openSocket(queueSize, nil)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("nftables: %w", err), events.Close())
	}
	m := &mirror{tables: tables, events: events, requests: requests}
	if err := m.read(); err != nil {
		return nil, errors.Join(err, m.close())
	}
	return m, nil
}

func (m *mirror) close() error { return errors.Join(m.events.Close(), m.requests.Close()) }

// look waits for the end of the next transaction that concerns the tables, or until a time, and returns the destinations that the
// tables can give a packet. After an error, which means that transactions were missed, the next call reads the tables again
// and does not wait.
func (m *mirror) look(_ context.Context, until time.Time) ([]netip.AddrPort, error) {
	err := m.await(until)
	return m.endpoints, err
}

func (m *mirror) await(until time.Time) error {
	if m.stale {
		return m.read()
	}
	for {
		changed, err := m.apply()
		if err != nil {
			m.stale = true
			return fmt.Errorf("nftables: follow tables: %w", err)
		}
		if changed {
			return nil
		}
		datagram, err := m.events.Receive(until)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return nil
		}
		if err == nil {
			m.received, _, err = splitMessages(slices.Clone(datagram))
		} else if errors.Is(err, unix.ENOBUFS) {
			err = errLost
		}
		if err != nil {
			m.stale = true
			return fmt.Errorf("nftables: follow tables: %w", err)
		}
	}
}

// apply applies the received messages up to the end of a transaction that concerns the tables, and reports
// whether there was one.
func (m *mirror) apply() (bool, error) {
	for len(m.received) > 0 {
		next := m.received[0]
		m.received = m.received[1:]
		if next.Kind != unix.NFT_MSG_NEWGEN {
			if m.rules.table(next) != nil {
				m.open = append(m.open, next)
			}
			continue
		}
		ended := m.open
		m.open = nil
		a, err := parseAttributes(next.Body)
		if err != nil {
			return false, err
		}
		generation := uint32(numberOf(a[unix.NFTA_GEN_ID]))
		switch ahead := int32(generation - m.generation); {
		case ahead <= 0: // the tables were read after it
			continue
		case ahead > 1:
			return false, errLost
		}
		m.generation = generation
		for _, change := range ended {
			if err := m.rules.apply(change); err != nil {
				return false, err
			}
		}
		if len(ended) > 0 {
			m.endpoints = m.rules.endpoints()
			return true, nil
		}
	}
	return false, nil
}

// check reads the tables and returns an error if the mirror differs at the same generation. The mirror
// then has what was read.
func (m *mirror) check() error {
	for {
		now, generation, err := m.fetch()
		if err != nil {
			return fmt.Errorf("nftables: read tables: %w", err)
		}
		for late := time.Now().Add(answerTime); int32(generation-m.generation) > 0; {
			if time.Now().After(late) {
				return fmt.Errorf("nftables: check tables: %w", errLost)
			}
			if err := m.await(time.Now().Add(time.Millisecond)); err != nil {
				return err
			}
		}
		if generation == m.generation {
			shown := m.endpoints
			if m.show(now, generation); !slices.Equal(shown, m.endpoints) {
				return fmt.Errorf("nftables: check tables: the events told of %v, there is %v", shown, m.endpoints)
			}
			return nil
		}
	}
}

// read replaces the rules with those of the kernel. Later, apply skips events of transactions that they include.
func (m *mirror) read() error {
	rules, generation, err := m.fetch()
	if err != nil {
		return fmt.Errorf("nftables: read tables: %w", err)
	}
	m.show(rules, generation)
	m.stale, m.received, m.open = false, nil, nil
	return nil
}

func (m *mirror) show(rules ruleset, generation uint32) {
	m.rules, m.endpoints, m.generation = rules, rules.endpoints(), generation
}

// fetch reads the tables as they are between two transactions, and returns their generation.
func (m *mirror) fetch() (ruleset, uint32, error) {
	const attempts = 100
	for range attempts {
		before, err := m.readGeneration()
		if err != nil {
			return nil, 0, err
		}
		rules, err := m.dump()
		if err != nil {
			return nil, 0, err
		}
		if after, err := m.readGeneration(); err != nil || before == after {
			return rules, after, err
		}
	}
	return nil, 0, fmt.Errorf("they changed during each of %d attempts", attempts)
}

func (m *mirror) readGeneration() (uint32, error) {
	var generation uint64
	r := request{Kind: unix.NFT_MSG_GETGEN, Flags: unix.NLM_F_ACK}
	err := m.requests.Send(r, func(answer message) error {
		a, err := parseAttributes(answer.Body)
		generation = numberOf(a[unix.NFTA_GEN_ID])
		return err
	})
	return uint32(generation), err
}

// dump reads all tables, which may change during the read.
func (m *mirror) dump() (rules ruleset, err error) {
	rules = newRuleset(m.tables)
	list := func(kind int, t followedTable, names ...string) {
		if err != nil {
			return
		}
		r := request{Kind: kind, Flags: unix.NLM_F_DUMP, Family: t.Family, Names: names}
		if err = m.requests.Send(r, rules.apply); errors.Is(err, unix.ENOENT) { // there is no such table, or the set is gone
			err = nil
		}
	}
	for i, t := range m.tables {
		list(unix.NFT_MSG_GETCHAIN, t)
		list(unix.NFT_MSG_GETRULE, t, t.Name)
		list(unix.NFT_MSG_GETSET, t, t.Name)
		for _, name := range rules[i].maps() {
			list(unix.NFT_MSG_GETSETELEM, t, t.Name, name)
		}
	}
	return rules, err
}
