package loadgen

import (
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
	"testing"

	"example.com/rollcall/harness/evidence"
)

func TestFaultsOfTheHost(t *testing.T) {
	to := &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 443}
	dial := func(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Addr: to, Err: err} }
	connect := func(errno syscall.Errno) error { return dial(os.NewSyscallError("connect", errno)) }
	for _, row := range []struct {
		sentence string
		err      error
		route    error
		want     evidence.Fault
	}{
		{"no address of the name", dial(&net.DNSError{Err: "no such host", IsNotFound: true}), nil, evidence.Unresolved},
		{"a resolver that does not answer in time", dial(&net.DNSError{Err: "i/o timeout", IsTimeout: true}), nil, evidence.Unresolved},
		{"every port is taken", connect(syscall.EADDRNOTAVAIL), nil, evidence.NoLocalPort},
		{"the port is taken", fmt.Errorf("bind: %w", syscall.EADDRINUSE), nil, evidence.NoLocalPort},
		{"no route", connect(syscall.ENETUNREACH), connect(syscall.ENETUNREACH), evidence.NoRoute},
		{"a route that says unreachable", connect(syscall.EHOSTUNREACH), connect(syscall.EHOSTUNREACH), evidence.NoRoute},
		{"a router has no route", connect(syscall.ENETUNREACH), nil, evidence.Unreachable},
		{"nobody has the address on the network that is there", connect(syscall.EHOSTUNREACH), nil, evidence.Unreachable},
		{"an address to which nothing may be sent", connect(syscall.ENETUNREACH), connect(syscall.EACCES), evidence.Unreachable},
		{"nothing listens", connect(syscall.ECONNREFUSED), nil, evidence.Refused},
		{"a target that is silent", dial(os.ErrDeadlineExceeded), nil, evidence.Timeout},
		{"an answer is cut off", errors.Join(syscall.ECONNRESET), nil, evidence.Reset},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			got := hostFault(row.err, func(at net.Addr) error {
				if at != to {
					t.Errorf("a route to %v is looked for", at)
				}
				return row.route
			})
			if got == evidence.NoFault {
				got, _ = faultOf(row.err)
			}
			if got != row.want {
				t.Errorf("%q, want %q", got, row.want)
			}
		})
	}
	t.Run("in a pod that is the cluster's", func(t *testing.T) {
		none := dial(&net.DNSError{Err: "no such host", IsNotFound: true})
		wants := map[evidence.Vantage]evidence.Fault{evidence.FromPod: evidence.Unreachable, evidence.FromHost: evidence.Unresolved}
		for from, want := range wants {
			if got, known := faultFrom(from, none); got != want || !known {
				t.Errorf("from a %s: %q, known %v; want %q", from, got, known, want)
			}
		}
	})
	t.Run("this host has a route to itself", func(t *testing.T) {
		if err := findRoute(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}); err != nil {
			t.Error(err)
		}
	})
}
