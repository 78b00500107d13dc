package host

import (
	"context"
	"encoding/binary"
	"os"
	"os/exec"
	"time"

	"golang.org/x/sys/unix"

	"rollcall/harness/command"
)

// hasNFTables asks the kernel's nf_tables for its generation number (NFT_MSG_GETGEN,
// include/uapi/linux/netfilter/nf_tables.h): an answer proves it is there.
func hasNFTables() bool {
	const getGeneration = unix.NFNL_SUBSYS_NFTABLES<<8 | 16
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_NETFILTER)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	timeout := unix.NsecToTimeval(int64(2 * time.Second))
	if unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &timeout) != nil {
		return false
	}
	const length = unix.NLMSG_HDRLEN + 4 // header and an empty nfgenmsg
	message := make([]byte, length)
	binary.NativeEndian.PutUint32(message[0:], length)
	binary.NativeEndian.PutUint16(message[4:], getGeneration)
	binary.NativeEndian.PutUint16(message[6:], unix.NLM_F_REQUEST)
	if unix.Sendto(fd, message, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}) != nil {
		return false
	}
	reply := make([]byte, 4096)
	n, _, err := unix.Recvfrom(fd, reply, 0)
	if err != nil || n < unix.NLMSG_HDRLEN {
		return false
	}
	if binary.NativeEndian.Uint16(reply[4:]) != unix.NLMSG_ERROR {
		return true
	}
	// Only root may ask; nfnetlink says so before it looks whether nf_tables is there, which it is
	// on any kernel that has nfnetlink and is not years old.
	return n >= unix.NLMSG_HDRLEN+4 && int32(binary.NativeEndian.Uint32(reply[unix.NLMSG_HDRLEN:])) == -int32(unix.EPERM)
}

// hasIPVS reports whether IP_VS is in the kernel, or is a module that a dry run of modprobe finds.
func hasIPVS(ctx context.Context) bool {
	if _, err := os.Stat("/proc/net/ip_vs"); err == nil {
		return true
	}
	modprobe, err := exec.LookPath("modprobe")
	if err != nil {
		modprobe = "/sbin/modprobe" // not on the PATH of a Debian user who is not root
	}
	_, err = command.Run(ctx, "%s --dry-run --quiet ip_vs", modprobe)
	return err == nil
}
