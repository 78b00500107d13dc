package main

import (
	"fmt"
	"net"
)

// A site is an address that one load has to itself. The kernel keeps the ports of closed connections for a minute,
// and a load over fresh connections leaves thousands, which at the same address would be in the way of the next one.
// Most of all of vegeta's: it binds each connection before it connects, which takes a port that nobody has, and the
// kernel comes to spend milliseconds on finding one.
type site struct {
	host string
	app  string // host and port
}

// siteOf is the site of the load with a number, from 1: 127.0.1.2, 127.0.1.3, …
func siteOf(n int) (s site, err error) {
	s.host = fmt.Sprintf("127.0.%d.%d", 1+n/250, 1+n%250)
	s.app, err = s.freeAddr()
	return s, err
}

// url is the app's.
func (s site) url() string { return "http://" + s.app + "/" }

// freeAddr is an address at the site that nothing listens on now.
func (s site) freeAddr() (string, error) {
	listener, err := net.Listen("tcp4", net.JoinHostPort(s.host, "0"))
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	defer listener.Close()
	return listener.Addr().String(), nil
}
