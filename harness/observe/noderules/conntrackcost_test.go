//go:build linux

package main

import (
	"net"
	"net/netip"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// BenchmarkConnection measures the processor time of a connection for the client and for the listener. Run it in a network
// namespace of its own:
//
//	unshare --net go test -run='^$' -bench=Connection -benchtime=20000x ./harness/observe/noderules
func BenchmarkConnection(b *testing.B) {
	if links, err := net.Interfaces(); err != nil || len(links) != 1 || links[0].Flags&net.FlagUp != 0 {
		b.Skip("not in a network namespace of its own: run it with unshare --net")
	}
	up := exec.Command("ip", "link", "set", "lo", "up")
	rules := exec.Command("iptables-nft-restore", "--noflush") // without rules connections are not tracked
	rules.Stdin = strings.NewReader("*nat\n:OUTPUT ACCEPT\n-A OUTPUT -p tcp --dport 80 -j DNAT --to-destination 127.0.0.1:9\nCOMMIT\n")
	for _, cmd := range []*exec.Cmd{up, rules} {
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%s: %v\n%s", cmd, err, out)
		}
	}
	b.Cleanup(func() { _ = exec.Command("ip", "link", "set", "lo", "down").Run() })
	for _, bc := range []struct {
		sentence string
		to       []netip.AddrPort
	}{
		{"nobody listens", nil},
		{"other destinations", []netip.AddrPort{destination("10.96.0.10", 80), destination("fd00:96::10", 80)}},
		{"this destination", []netip.AddrPort{destination("", 9)}},
	} {
		b.Run(bc.sentence, func(b *testing.B) {
			if bc.to != nil {
				l, err := listenConntrack(bc.to...)
				if err != nil {
					b.Fatal(err)
				}
				defer func() {
					if err := l.Close(); err != nil {
						b.Error(err)
					}
					if flows, _, lost := l.Take(); lost != nil || len(flows) != b.N && len(flows) != 0 {
						b.Errorf("%d of %d are told: %v", len(flows), b.N, lost)
					} else {
						b.ReportMetric(float64(len(flows))/float64(b.N), "told/op")
					}
				}()
			}
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			mine, all := used(b, unix.RUSAGE_THREAD), used(b, unix.RUSAGE_SELF)
			for b.Loop() {
				connectToNobody(b)
			}
			mine, all = used(b, unix.RUSAGE_THREAD)-mine, used(b, unix.RUSAGE_SELF)-all
			b.ReportMetric(float64(mine.Nanoseconds())/float64(b.N), "connecting-ns/op")
			b.ReportMetric(float64((all-mine).Nanoseconds())/float64(b.N), "listening-ns/op")
		})
	}
}

// connectToNobody makes a connection that is refused at once, which is tracked like any other.
func connectToNobody(b *testing.B) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer unix.Close(fd)
	if err := unix.Connect(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}, Port: 9}); err != unix.ECONNREFUSED {
		b.Fatal(err)
	}
}

// used returns the processor time of the thread, or of the whole process.
func used(b *testing.B, who int) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(who, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
