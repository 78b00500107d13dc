package main

import (
	"net"
	"testing"
)

func TestSitesAreApart(t *testing.T) {
	seen := map[string]int{}
	for n := 1; n <= 1000; n++ {
		at, err := siteOf(n)
		if err != nil {
			t.Fatal(err)
		}
		host := at.host
		if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
			t.Errorf("load %d: %s is no loopback address", n, host)
		}
		if other, ok := seen[host]; ok {
			t.Errorf("loads %d and %d are both at %s", other, n, host)
		}
		seen[host] = n
	}
}

func TestFreeAddrIsAtItsSite(t *testing.T) {
	at, err := siteOf(7)
	if err != nil {
		t.Fatal(err)
	}
	if host, _, err := net.SplitHostPort(at.app); err != nil || host != at.host {
		t.Errorf("got %s, want a port at %s", at.app, at.host)
	}
}
