package loadgen

import (
	"errors"
	"net"
	"syscall"

	"example.com/rollcall/harness/evidence"
)

// faultFrom is [faultOf] for a request sent from a vantage. A failure within a host outside the cluster says nothing about its
// target; in a pod, names, addresses and routes belong to the cluster.
func faultFrom(from evidence.Vantage, errs ...error) (fault evidence.Fault, known bool) {
	if from == evidence.FromHost {
		for _, err := range errs {
			if fault := hostFault(err, findRoute); fault != evidence.NoFault {
				return fault, true
			}
		}
	}
	return faultOf(errs...)
}

// hostFault returns what this host lacks to open a connection, or NoFault. An error about a missing route may also come from a
// router, so the kernel is asked whether it has a route.
func hostFault(err error, find func(net.Addr) error) evidence.Fault {
	var dial *net.OpError
	switch {
	case errors.As(err, new(*net.DNSError)):
		return evidence.Unresolved
	case errors.Is(err, syscall.EADDRNOTAVAIL), errors.Is(err, syscall.EADDRINUSE):
		return evidence.NoLocalPort
	case unrouted(err) && errors.As(err, &dial) && dial.Addr != nil && unrouted(find(dial.Addr)):
		return evidence.NoRoute
	default:
		return evidence.NoFault
	}
}

func unrouted(err error) bool {
	return errors.Is(err, syscall.ENETUNREACH) || errors.Is(err, syscall.EHOSTUNREACH)
}

// findRoute makes the kernel look up a route to an address. It sends nothing: UDP has no connections (connect(2)).
func findRoute(to net.Addr) error {
	conn, err := net.Dial("udp", to.String())
	if err != nil {
		return err
	}
	return conn.Close()
}
