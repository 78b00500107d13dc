//go:build linux

package main

import (
	"errors"
	"net"
	"net/netip"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// commands are the programs that set a node up.
var commands = []string{"ip", "iptables-nft-restore", "ip6tables-nft-restore"}

// A node is a network namespace in which port 80 of a Service is routed to two pods in turn, and port 81 to the first of them.
type node struct {
	t        testing.TB
	client   string
	service  string
	open     []net.Conn
	accepted chan [2]netip.AddrPort // a client and the pod, as seen by the pod
}

const (
	service4, service6 = "10.96.0.10", "fd00:96::10"
	client4, client6   = "10.244.0.9", "fd00:10:244::9"
)

// nodes returns two such nodes, one for each address family.
func nodes(t testing.TB) []*node {
	return []*node{
		newNode(t, "iptables-nft-restore", client4, service4, "10.244.1.2", "10.244.2.2"),
		newNode(t, "ip6tables-nft-restore", client6, service6, "fd00:10:244:1::2", "fd00:10:244:2::2"),
	}
}

func newNode(t testing.TB, restore, client, service string, pods ...string) *node {
	n := &node{t: t, client: client, service: service, accepted: make(chan [2]netip.AddrPort)}
	n.run("", "ip", "link", "set", "lo", "up")
	for _, address := range append(pods, client) { // nodad: else an IPv6 address may not be listened on at once
		n.run("", "ip", "address", "add", address, "dev", "lo", "nodad")
	}
	n.run("", "ip", "route", "add", service, "dev", "lo")
	var rules strings.Builder
	rules.WriteString("*nat\n:OUTPUT ACCEPT\n")
	rule := func(port string, every []string, pod string) {
		words := append([]string{"-A OUTPUT -p tcp -d", service, "--dport", port}, every...)
		rules.WriteString(strings.Join(append(words, "-j DNAT --to-destination", net.JoinHostPort(pod, "8080")), " ") + "\n")
	}
	rule("80", []string{"-m statistic --mode nth --every 2 --packet 0"}, pods[0])
	rule("80", nil, pods[1])
	rule("81", nil, pods[0])
	n.run(rules.String()+"COMMIT\n", restore, "--noflush")
	for _, pod := range pods {
		listener, err := net.Listen("tcp", net.JoinHostPort(pod, "8080"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { listener.Close() })
		go n.serve(listener)
	}
	t.Cleanup(func() {
		for _, c := range n.open {
			c.Close()
		}
	})
	return n
}

func (n *node) run(input, command string, args ...string) {
	n.t.Helper()
	cmd := exec.Command(command, args...)
	cmd.Stdin = strings.NewReader(input)
	if out, err := cmd.CombinedOutput(); err != nil {
		n.t.Fatalf("%s: %v\n%s\n%s", cmd, err, out, input)
	}
}

// serve sends both ends of each connection to a pod to the channel, until its listener is closed.
func (n *node) serve(pod net.Listener) {
	for {
		c, err := pod.Accept()
		if err != nil {
			return
		}
		n.accepted <- [2]netip.AddrPort{addrPort(c.RemoteAddr()), addrPort(c.LocalAddr())}
		c.Close()
	}
}

// connect makes connections to a port of the Service, and returns which pod accepted each. They stay in the table.
func (n *node) connect(port string, connections int) (want []routedFlow) {
	n.t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(n.client)}}
	for range connections {
		c, err := dialer.DialContext(n.t.Context(), "tcp", net.JoinHostPort(n.service, port))
		if err != nil {
			n.t.Fatal(err)
		}
		n.open = append(n.open, c)
		want = append(want, routedFlow{Client: addrPort(c.LocalAddr()), To: addrPort(c.RemoteAddr())})
	}
	pods := map[netip.AddrPort]netip.AddrPort{}
	for range connections {
		pair := <-n.accepted
		pods[pair[0]] = pair[1]
	}
	for i := range want {
		want[i].Pod = pods[want[i].Client]
	}
	return want
}

func addrPort(a net.Addr) netip.AddrPort { return a.(*net.TCPAddr).AddrPort() }

// expectFlows closes the listener, wants exactly these flows, and returns the error about lost ones.
func expectFlows(t testing.TB, l *conntrackListener, want []routedFlow) error {
	t.Helper()
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	got, since, lost := l.Take()
	if since.IsZero() != (lost == nil) {
		t.Errorf("lost since %s: %v", since, lost)
	}
	for _, f := range got {
		if f.Received.IsZero() {
			t.Errorf("no time: %v", f)
		}
	}
	byClient := cmpopts.SortSlices(func(a, b routedFlow) int { return a.Client.Compare(b.Client) })
	butTime := cmpopts.IgnoreFields(routedFlow{}, "Received")
	if diff := cmp.Diff(want, got, byClient, butTime, cmpopts.EquateComparable(netip.AddrPort{})); diff != "" {
		t.Error(diff)
	}
	return lost
}

func TestEachConnectionIsToldWithItsPod(t *testing.T) {
	if !enteredNamespace(t, commands...) {
		return
	}
	for _, n := range nodes(t) {
		for _, to := range []string{n.service, ""} {
			n.connect("80", 2) // before it listens
			l, err := listenConntrack(destination(to, 80))
			if err != nil {
				t.Fatal(err)
			}
			want := n.connect("80", 20)
			if first, second := want[0].Pod, want[1].Pod; first == second {
				t.Errorf("both to %s", first)
			}
			n.connect("81", 3)
			if lost := expectFlows(t, l, want); lost != nil {
				t.Error(lost)
			}
		}
	}
}

// destination returns a destination with an address, or with any.
func destination(address string, port uint16) netip.AddrPort {
	ip, _ := netip.ParseAddr(address)
	return netip.AddrPortFrom(ip, port)
}

// The kernel's smallest queue holds a few events.
const tinyQueue = 1

func TestLostConnectionsAreABlindness(t *testing.T) {
	if !enteredNamespace(t, commands...) {
		return
	}
	for _, n := range nodes(t) {
		before := time.Now()
		l, err := openListener(tinyQueue, []netip.AddrPort{destination(n.service, 80)})
		if err != nil {
			t.Fatal(err)
		}
		n.connect("80", 100)
		if err := l.events.Interrupt(); err != nil { // it receives what there is
			t.Fatal(err)
		}
		l.events.Follow(l.handle, l.empty)
		if flows, since, lost := l.Take(); len(flows) == 100 || since.Before(before) || !errors.Is(lost, errLost) {
			t.Errorf("%d flows, lost since %v: %v, want %v", len(flows), since, lost, errLost)
		}
		later := n.connect("80", 1)
		go l.follow()
		if lost := expectFlows(t, l, later); lost != nil {
			t.Error(lost)
		}
	}
}

func TestConnectionsToOthersTakeNoRoom(t *testing.T) {
	if !enteredNamespace(t, commands...) {
		return
	}
	for _, n := range nodes(t) {
		l, err := openListener(tinyQueue, []netip.AddrPort{destination(n.service, 80)})
		if err != nil {
			t.Fatal(err)
		}
		l.mu.Lock()
		go l.follow()
		want := n.connect("80", 1)
		n.connect("81", 100)
		l.mu.Unlock()
		if lost := expectFlows(t, l, want); lost != nil {
			t.Error(lost)
		}
	}
}

func TestWhatIsInTheQueueAtTheEndIsTold(t *testing.T) {
	if !enteredNamespace(t, commands...) {
		return
	}
	n, l := unfollowed(t)
	want := n.connect("80", 5)
	if err := l.events.Interrupt(); err != nil { // before it read anything
		t.Fatal(err)
	}
	go l.follow()
	if lost := expectFlows(t, l, want); lost != nil {
		t.Error(lost)
	}
}

func TestListeningNeedsThePermission(t *testing.T) {
	if !unprivileged(t) {
		return
	}
	if _, err := listenConntrack(destination("", 80)); err == nil || !strings.Contains(err.Error(), "it needs CAP_NET_ADMIN") {
		t.Error(err)
	}
}

// unfollowed returns a node, and a listener to its connections that does not read events yet.
func unfollowed(t *testing.T) (*node, *conntrackListener) {
	t.Helper()
	n := nodes(t)[0]
	l, err := openListener(queueSize, []netip.AddrPort{destination(n.service, 80)})
	if err != nil {
		t.Fatal(err)
	}
	return n, l
}
