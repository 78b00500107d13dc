package loadgen

import (
	"net"
	"sync/atomic"
	"syscall"
	"time"
)

// resendTimer is how long Linux waits at least before it sends a segment again (TCP_RTO_MIN, include/net/tcp.h; a SYN a
// second). A request that took less is not looked at, which would cost each of them a system call.
const resendTimer = 200 * time.Millisecond

// Resends count the segments that the kernel has sent again over a connection.
type resends struct{ total atomic.Int64 }

// since is how many there were since it was asked last. A connection that was closed meanwhile has none.
func (r *resends) since(c net.Conn) uint32 {
	owner, ok := c.(syscall.Conn)
	if !ok {
		return 0
	}
	raw, err := owner.SyscallConn()
	if err != nil {
		return 0
	}
	var total int64
	if raw.Control(func(fd uintptr) { total = segmentsResent(int(fd)) }) != nil {
		return 0
	}
	return uint32(max(0, total-r.total.Swap(total)))
}
