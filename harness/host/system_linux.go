package host

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
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
	timeout := unix.NsecToTimeval(kernelTimeout.Nanoseconds())
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
	// Only root may ask, and nfnetlink returns EPERM before it looks for nf_tables. Any kernel with
	// nfnetlink that is not years old has it.
	return n >= unix.NLMSG_HDRLEN+4 && int32(binary.NativeEndian.Uint32(reply[unix.NLMSG_HDRLEN:])) == -int32(unix.EPERM)
}

// diskOf returns the file system of a folder or, if there is none, of its nearest existing parent.
func diskOf(folder string) (d Disk, device uint64) {
	var fs unix.Statfs_t
	at := folder
	for unix.Statfs(at, &fs) != nil && at != "/" {
		at = filepath.Dir(at)
	}
	var stat unix.Stat_t
	_ = unix.Stat(at, &stat) // does not fail where Statfs did not
	return Disk{folder, int64(fs.Bavail) * fs.Bsize}, stat.Dev
}

// kernelRelease returns the kernel's release, such as 6.12.43; empty if it is not known.
func kernelRelease() string {
	var uts unix.Utsname
	if unix.Uname(&uts) != nil {
		return ""
	}
	return unix.ByteSliceToString(uts.Release[:])
}

func ownedBy(file os.FileInfo, user uint32) bool {
	owner, ok := file.Sys().(*syscall.Stat_t)
	return ok && owner.Uid == user
}

func writable(path string) error { return unix.Access(path, unix.W_OK) }
