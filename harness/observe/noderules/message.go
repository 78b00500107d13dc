//go:build linux

package main

import (
	"encoding/binary"
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// errMalformed is the error for a message that does not have the form in the kernel's headers.
var errMalformed = errors.New("malformed message")

// A message is one netlink message of a subsystem of netfilter. Answers and events have the same form.
type message struct {
	Kind   int  // within the subsystem, such as unix.NFT_MSG_…
	Family byte // of the table or connection concerned
	Body   []byte
}

// splitMessages splits a datagram into messages, whose bodies share its memory. done reports that an answer is complete; the
// error is the kernel's answer to a request, or that the bytes are not messages.
func splitMessages(datagram []byte) (messages []message, done bool, err error) {
	const header, genmsg = unix.SizeofNlMsghdr, 4
	for len(datagram) > 0 {
		if len(datagram) < header {
			return messages, false, errMalformed
		}
		size := int(binary.NativeEndian.Uint32(datagram))
		kind := binary.NativeEndian.Uint16(datagram[4:])
		if size < header || size > len(datagram) {
			return messages, false, errMalformed
		}
		payload := datagram[header:size]
		datagram = datagram[min(aligned(size), len(datagram)):]
		switch {
		case kind == unix.NLMSG_DONE:
			return messages, true, nil
		case kind == unix.NLMSG_ERROR:
			if len(payload) < 4 {
				return messages, false, errMalformed
			}
			if code := int32(binary.NativeEndian.Uint32(payload)); code != 0 {
				return messages, false, unix.Errno(-code)
			}
			return messages, true, nil
		case kind>>8 == unix.NFNL_SUBSYS_NONE: // of netlink itself
			continue
		case len(payload) < genmsg:
			return messages, false, errMalformed
		}
		messages = append(messages, message{Kind: int(kind & 0xff), Family: payload[0], Body: payload[genmsg:]})
	}
	return messages, false, nil
}

// attributes are the values of an attribute list by their type. Higher types are not needed.
type attributes [24][]byte

// parseAttributes parses an attribute list. The values share its memory.
func parseAttributes(b []byte) (attributes, error) {
	var a attributes
	err := eachAttribute(b, func(kind int, value []byte) error {
		if kind < len(a) {
			a[kind] = value
		}
		return nil
	})
	return a, err
}

// eachAttribute calls do for every attribute of a list, until do returns an error.
func eachAttribute(b []byte, do func(kind int, value []byte) error) error {
	const header, kindMask = unix.SizeofNlAttr, 0x3fff
	for len(b) > 0 {
		if len(b) < header {
			return errMalformed
		}
		size := int(binary.NativeEndian.Uint16(b))
		kind := int(binary.NativeEndian.Uint16(b[2:])) & kindMask
		if size < header || size > len(b) {
			return errMalformed
		}
		if err := do(kind, b[header:size]); err != nil {
			return err
		}
		b = b[min(aligned(size), len(b)):]
	}
	return nil
}

// A request asks the kernel's nf_tables for data; requests that change something are never made.
type request struct {
	Kind   int // such as unix.NFT_MSG_GET…
	Flags  int
	Family byte
	Names  []string // values of the attributes 1, 2, …
}

func (r request) bytes(sequence uint32) []byte {
	b := make([]byte, unix.SizeofNlMsghdr, 64)
	b = append(b, r.Family, unix.NFNETLINK_V0, 0, 0)
	for i, name := range r.Names {
		size := unix.SizeofNlAttr + len(name) + 1
		b = binary.NativeEndian.AppendUint16(b, uint16(size))
		b = binary.NativeEndian.AppendUint16(b, uint16(i+1))
		b = append(b, name...)
		b = append(b, make([]byte, aligned(size)-size+1)...)
	}
	binary.NativeEndian.PutUint32(b, uint32(len(b)))
	binary.NativeEndian.PutUint16(b[4:], uint16(unix.NFNL_SUBSYS_NFTABLES<<8|r.Kind))
	binary.NativeEndian.PutUint16(b[6:], uint16(unix.NLM_F_REQUEST|r.Flags))
	binary.NativeEndian.PutUint32(b[8:], sequence)
	return b
}

func (r request) String() string {
	return fmt.Sprintf("request %d for %q", r.Kind, r.Names)
}

func aligned(size int) int { return (size + 3) &^ 3 }

// numberOf returns an integer of 4 or 8 bytes in netfilter's byte order, or 0 if it is absent.
func numberOf(b []byte) uint64 {
	switch len(b) {
	case 4:
		return uint64(binary.BigEndian.Uint32(b))
	case 8:
		return binary.BigEndian.Uint64(b)
	default:
		return 0
	}
}
