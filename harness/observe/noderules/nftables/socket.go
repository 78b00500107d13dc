//go:build linux

package nftables

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A socket is a netlink socket of the netfilter family in this network namespace. It needs CAP_NET_ADMIN there.
type socket struct {
	file     *os.File // of the descriptor, so that reads can have deadlines
	raw      syscall.RawConn
	buffer   []byte
	sequence uint32
}

// Sizes in bytes: of the kernel's queue of events, which holds the largest transaction of a node with
// thousands of Services, and of one datagram, of which the kernel makes none larger.
const (
	queueSize    = 16 << 20
	datagramSize = 64 << 10
)

// openSocket opens a socket that hears the groups, as well as answers to its own requests.
func openSocket(groups ...int) (*socket, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, unix.NETLINK_NETFILTER)
	if err != nil {
		return nil, fmt.Errorf("open netlink socket: %w", err)
	}
	file := os.NewFile(uintptr(fd), "netlink")
	s := &socket{file: file, buffer: make([]byte, datagramSize)}
	if s.raw, err = file.SyscallConn(); err == nil {
		err = unix.Bind(fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK})
	}
	if err == nil && unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, queueSize) != nil {
		err = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, queueSize)
	}
	for _, group := range groups {
		if err == nil {
			err = unix.SetsockoptInt(fd, unix.SOL_NETLINK, unix.NETLINK_ADD_MEMBERSHIP, group)
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("set netlink socket up: %w", err), file.Close())
	}
	return s, nil
}

// receive waits for a datagram until the time given, the zero time being never, and returns it in memory
// that the next call uses again. A datagram that another process sent is passed over.
func (s *socket) receive(until time.Time) ([]byte, error) {
	if err := s.file.SetReadDeadline(until); err != nil {
		return nil, fmt.Errorf("set netlink deadline: %w", err)
	}
	for {
		var n int
		var from unix.Sockaddr
		var failure error
		err := s.raw.Read(func(fd uintptr) bool {
			n, from, failure = unix.Recvfrom(int(fd), s.buffer, unix.MSG_TRUNC)
			return failure != unix.EAGAIN && failure != unix.EINTR
		})
		switch {
		case err != nil:
			return nil, fmt.Errorf("receive from netlink: %w", err)
		case failure != nil:
			return nil, fmt.Errorf("receive from netlink: %w", failure)
		case n > len(s.buffer):
			return nil, fmt.Errorf("receive from netlink: datagram of %d bytes is longer than %d", n, len(s.buffer))
		}
		if sender, ok := from.(*unix.SockaddrNetlink); ok && sender.Pid == 0 {
			return s.buffer[:n], nil
		}
	}
}

// ask sends a request and hands each message of the answer to do, whose memory is used again after it.
func (s *socket) ask(r request, do func(message) error) error {
	s.sequence++
	var failure error
	err := s.raw.Write(func(fd uintptr) bool {
		failure = unix.Sendto(int(fd), r.bytes(s.sequence), 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK})
		return failure != unix.EAGAIN && failure != unix.EINTR
	})
	if err = cmp.Or(err, failure); err != nil {
		return fmt.Errorf("send %s: %w", r, err)
	}
	for {
		datagram, err := s.receive(time.Now().Add(answerTime))
		if err != nil {
			return err
		}
		messages, done, err := split(datagram)
		for _, m := range messages {
			if err := do(m); err != nil {
				return err
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", r, err)
		}
		if done {
			return nil
		}
	}
}

// answerTime bounds the wait for a part of an answer, which the kernel gives at once.
const answerTime = 5 * time.Second

func (s *socket) close() error { return s.file.Close() }
