package loadgen

import (
	"errors"
	"io"
	"net"
	"syscall"

	"example.com/rollcall/harness/evidence"
)

// faultOf returns how a request failed. The errors are what the round trip returned and what its connection failed with, in this
// order: the first one of a known type decides, and nil ones are skipped.
//
// If no type is known, the fault is Closed and known is false. The request did end before its deadline without a whole reply, but
// the cause is unknown: the peer may not speak HTTP, or the client itself may be out of ports, descriptors or memory, which says
// nothing about the cluster. See [Status.Troubles].
func faultOf(errs ...error) (fault evidence.Fault, known bool) {
	for _, err := range errs {
		if fault := faultByType(err); fault != evidence.NoFault {
			return fault, true
		}
	}
	return evidence.Closed, false
}

func faultByType(err error) evidence.Fault {
	// context.DeadlineExceeded, os.ErrDeadlineExceeded and ETIMEDOUT are net.Errors too.
	var timed net.Error
	var named *net.DNSError
	var other UnspokenError
	switch {
	case err == nil:
		return evidence.NoFault
	case errors.As(err, &other):
		return evidence.WrongServer
	case errors.Is(err, syscall.ECONNREFUSED):
		return evidence.Refused
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return evidence.Reset
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return evidence.Unreachable
	case errors.As(err, &timed) && timed.Timeout():
		return evidence.Timeout
	case errors.As(err, &named): // no way to a host whose address is unknown
		return evidence.Unreachable
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return evidence.Closed
	default:
		return tlsFault(err)
	}
}
