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

// queueSize is that of the kernel's queue of events in bytes. It holds the largest transaction of a node with thousands of Services and,
// at about 1 KiB an event, what a node that does not get to reading for 20 s misses of 700 connections/s.
const queueSize = 16 << 20

// errLost is that the queue was too short.
var errLost = errors.New("events of the kernel were lost")

// A socket is a netlink socket of the netfilter family in this network namespace: it asks for what there is, and hears events. It needs
// CAP_NET_ADMIN there.
type socket struct {
	file     *os.File // of the descriptor, so that reads can have deadlines
	raw      syscall.RawConn
	buffer   []byte
	sequence uint32
}

// datagramSize is that of one datagram in bytes, of which the kernel makes none larger.
const datagramSize = 64 << 10

// openSocket opens a socket that hears the groups, as well as answers to its own requests. The queue is the kernel's for it, in bytes;
// of what is to enter it the filter decides, if there is one.
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

// Receive waits for a datagram until the time given, the zero time being never, and returns it in memory
// that the next call uses again.
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

// Follow hands each datagram to hear as it comes, in memory that the next one uses again, or the error in its place; empty is
// called whenever none is left. It ends after Interrupt, when all that came until then was handed over.
func (s *socket) Follow(hear func(datagram []byte, err error), empty func()) {
	read := func(fd uintptr) {
		for {
			datagram, err := s.next(fd)
			if errors.Is(err, unix.EAGAIN) {
				empty()
				return
			}
			hear(datagram, err)
		}
	}
	_ = s.raw.Read(func(fd uintptr) bool { read(fd); return false }) // until the deadline that is the interruption
	_ = s.raw.Control(read)
}

// Interrupt ends Follow.
func (s *socket) Interrupt() error { return s.file.SetReadDeadline(time.Now()) }

// next is the next datagram if there is one. Those that another process sent are passed over.
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

// Ask sends a request and hands each message of the answer to do, whose memory is used again after it.
func (s *socket) Ask(r request, do func(message) error) error {
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

// answerTime bounds the wait for a part of an answer, which the kernel gives at once.
const answerTime = 5 * time.Second

// Close closes the socket.
func (s *socket) Close() error { return s.file.Close() }
