package loadgen

import "golang.org/x/sys/unix"

// segmentsResent returns how many segments a socket has sent again, SYNs included.
func segmentsResent(fd int) int64 {
	info, err := unix.GetsockoptTCPInfo(fd, unix.IPPROTO_TCP, unix.TCP_INFO)
	if err != nil {
		return 0
	}
	return int64(info.Total_retrans)
}
