package loadgen

import (
	"net"
	"sync/atomic"
	"syscall"
	"time"
)

// resendTimer is the least time after which Linux sends a segment again (TCP_RTO_MIN, include/net/tcp.h; a SYN after a second).
// Requests that took less are not looked at, which would cost a system call each.
const resendTimer = 200 * time.Millisecond

// resends counts the segments that the kernel has sent again over a connection.
type resends struct{ total atomic.Int64 }

// since returns how many there were since the last call; 0 for a connection that was closed meanwhile.
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
