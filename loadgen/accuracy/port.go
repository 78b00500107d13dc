package main

import (
	"fmt"
	"net"
	"syscall"
)

// A port is a TCP port of 127.0.0.1 that stays ours while nothing listens on it. Else the kernel would sooner or
// later give it to one of the thousands of connections that a load lane opens, and it could not be listened on again.
type port struct {
	addr   string // host:port
	holder int    // a socket that is bound and never listens
}

func reservePort() (port, error) {
	holder, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		return port{}, fmt.Errorf("reserve port: %w", err)
	}
	p := port{holder: holder}
	if p.addr, err = bind(holder); err != nil {
		p.release()
		return port{}, fmt.Errorf("reserve port: %w", err)
	}
	return p, nil
}

func (p port) release() { syscall.Close(p.holder) }

// bind binds a socket such that another one may listen, and says where.
func bind(socket int) (addr string, err error) {
	if err := syscall.SetsockoptInt(socket, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1); err != nil {
		return "", err
	}
	local := [4]byte{127, 0, 0, 1}
	if err := syscall.Bind(socket, &syscall.SockaddrInet4{Addr: local}); err != nil {
		return "", err
	}
	bound, err := syscall.Getsockname(socket)
	if err != nil {
		return "", err
	}
	inet, ok := bound.(*syscall.SockaddrInet4)
	if !ok {
		return "", fmt.Errorf("bound to %T", bound)
	}
	return (&net.TCPAddr{IP: local[:], Port: inet.Port}).String(), nil
}
