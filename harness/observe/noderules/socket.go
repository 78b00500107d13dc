//go:build linux

package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// queueSize is the size in bytes of the kernel's queue of events. It holds the largest transaction of a node with thousands of Services
// or, at about 1 KiB per event, 20 s of 700 connections/s, if the observer does not get to read for so long.
const queueSize = 16 << 20

// errLost says that the queue was too short.
var errLost = errors.New("events of the kernel were lost")

// A socket is a netlink socket of the netfilter family in this network namespace: it sends requests and receives events. It needs
// CAP_NET_ADMIN in the namespace.
type socket struct {
	file     *os.File // wraps the descriptor, so that reads can have deadlines
	raw      syscall.RawConn
	buffer   []byte
	sequence uint32
}

// datagramSize is the size in bytes of the largest datagram that the kernel sends.
const datagramSize = 64 << 10

// openSocket opens a socket that receives the events of the groups, and answers to its own requests. Its queue in the kernel has
// so many bytes; the filter, if there is one, decides which events enter it.
func openSocket(queue int, filter []unix.SockFilter, groups ...int) (*socket, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, unix.NETLINK_NETFILTER)
	if err != nil {
		return nil, fmt.Errorf("open netlink socket: %w", err)
	}
	file := os.NewFile(uintptr(fd), "netlink")
	s := &socket{file: file, buffer: make([]byte, datagramSize)}
	if s.raw, err = file.SyscallConn(); err == nil {
		err = unix.Bind(fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK})
	}
	if err == nil && unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, queue) != nil {
		err = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, queue)
	}
	if err == nil && len(filter) > 0 {
		program := &unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
		err = unix.SetsockoptSockFprog(fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, program)
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

// Receive waits for a datagram until a time, the zero time meaning forever, and returns it in memory
// that the next call reuses.
func (s *socket) Receive(until time.Time) ([]byte, error) {
	if err := s.file.SetReadDeadline(until); err != nil {
		return nil, fmt.Errorf("set netlink deadline: %w", err)
	}
	var datagram []byte
	var failure error
	err := s.raw.Read(func(fd uintptr) bool {
		datagram, failure = s.next(fd)
		return !errors.Is(failure, unix.EAGAIN)
	})
	if err = cmp.Or(err, failure); err != nil {
		return nil, fmt.Errorf("receive from netlink: %w", err)
	}
	return datagram, nil
}

// Follow calls handle with each datagram, in memory that the next one reuses, or with an error instead; it calls empty whenever
// the queue is empty. It returns after Interrupt, when all datagrams received until then have been handled.
func (s *socket) Follow(handle func(datagram []byte, err error), empty func()) {
	read := func(fd uintptr) {
		for {
			datagram, err := s.next(fd)
			if errors.Is(err, unix.EAGAIN) {
				empty()
				return
			}
			handle(datagram, err)
		}
	}
	_ = s.raw.Read(func(fd uintptr) bool { read(fd); return false }) // until Interrupt sets a deadline
	_ = s.raw.Control(read)
}

func (s *socket) Interrupt() error { return s.file.SetReadDeadline(time.Now()) }

// next returns the next datagram if there is one. It skips datagrams sent by other processes.
func (s *socket) next(fd uintptr) ([]byte, error) {
	for {
		n, from, err := unix.Recvfrom(int(fd), s.buffer, unix.MSG_TRUNC)
		sender, ok := from.(*unix.SockaddrNetlink)
		switch {
		case errors.Is(err, unix.EINTR), err == nil && (!ok || sender.Pid != 0):
		case err != nil:
			return nil, err
		case n > len(s.buffer):
			return nil, fmt.Errorf("datagram of %d bytes is longer than %d", n, len(s.buffer))
		default:
			return s.buffer[:n], nil
		}
	}
}

// Send sends a request and calls do with each message of the answer, whose memory is reused afterwards.
func (s *socket) Send(r request, do func(message) error) error {
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
		datagram, err := s.Receive(time.Now().Add(answerTime))
		if err != nil {
			return err
		}
		messages, done, err := splitMessages(datagram)
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

func (s *socket) Close() error { return s.file.Close() }
