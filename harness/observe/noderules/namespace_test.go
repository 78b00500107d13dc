//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/netip"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A writer writes the rules for a set of endpoints the way kube-proxy does, each in one transaction.
type writer struct {
	mode, method string
	command      string // reads a ruleset from its standard input
	args         []string
	ruleset      func(before, after []netip.AddrPort) string
}

func writers() []writer {
	restore := []string{"--noflush"}
	return []writer{
		{"iptables", "events", "iptables-nft-restore", restore, iptablesRules},
		{"iptables", "entries", "iptables-legacy-restore", restore, iptablesRules},
		{"nftables", "events", "nft", []string{"-f", "-"}, nftablesRules},
	}
}

func TestChangesOfRealRules(t *testing.T) {
	for _, w := range writers() {
		t.Run(w.command, func(t *testing.T) {
			if enteredNamespace(t, w.command) {
				w.observe(t)
			}
		})
	}
}

// observe changes the rules of this network namespace at random, and wants exactly the differences in the output.
func (w writer) observe(t *testing.T) {
	w.write(t, nil, endpoints("10.244.9.9:1"))                // so that there are rules to detect the method by
	ctx, end := context.WithTimeout(t.Context(), time.Minute) // if a line is missing, the output ends then
	p := kubeProxy(func(path string) (string, error) {
		if path == "/proxyMode" {
			return w.mode, nil
		}
		return "", nil
	})
	reader, out := io.Pipe()
	exited := make(chan int)
	var stderr bytes.Buffer
	go func() {
		defer close(exited)
		code := run(ctx, nil, p, out, &stderr)
		out.Close()
		exited <- code
	}()
	lines := bufio.NewScanner(reader)
	next := func() string {
		for lines.Scan() {
			if fields := readLines(t, lines.Text()+"\n")[0]; fields[0] != "load" && fields[0] != "stolen" &&
				(fields[0] != "blind" || fields[2] != "rules" || fields[3] != "no") {
				return strings.Join(fields, " ") // of rules; a late look on a busy machine does not matter
			}
		}
		t.Fatalf("the output ended; %s", stderr.String())
		return ""
	}
	if begin := next(); begin != "begin "+w.mode+" "+w.method {
		t.Fatal(begin)
	}
	known := []netip.AddrPort(nil)
	expect := func(t interface{ Fatal(...any) }, after []netip.AddrPort) {
		added, gone := without(after, known), without(known, after)
		var want, got []string
		for _, e := range gone {
			want = append(want, fmt.Sprint("gone ", e.Addr(), " ", e.Port()))
		}
		for _, e := range added {
			want = append(want, fmt.Sprint("added ", e.Addr(), " ", e.Port()))
		}
		for range want {
			got = append(got, next())
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
		known = after
	}
	expect(t, endpoints("10.244.9.9:1"))
	rapid.Check(t, func(r *rapid.T) {
		pods := rapid.SliceOfNDistinct(rapid.IntRange(1, 9), 0, 6, rapid.ID[int]).Draw(r, "pods")
		var after []netip.AddrPort
		for _, n := range pods {
			after = append(after, netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 244, 1, byte(n)}), 8080))
		}
		slices.SortFunc(after, netip.AddrPort.Compare)
		w.write(r, known, after)
		expect(r, after)
	})
	end()
	if line := next(); line != "end" {
		t.Error(line)
	}
	if code := <-exited; code != exitOK {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
}

func (w writer) write(t interface{ Fatal(...any) }, before, after []netip.AddrPort) {
	cmd := exec.Command(w.command, w.args...)
	rules := w.ruleset(before, after)
	cmd.Stdin = strings.NewReader(rules)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatal(fmt.Sprintf("%s: %v\n%s\n%s", w.command, err, out, rules))
	}
}

// iptablesRules returns rules with a chain for each endpoint, and a chain that is left over and routes to none.
func iptablesRules(before, after []netip.AddrPort) string {
	var b strings.Builder
	chain := func(e netip.AddrPort) string { return "KUBE-SEP-" + strings.ReplaceAll(e.Addr().String(), ".", "-") }
	b.WriteString("*nat\n:KUBE-SERVICES - [0:0]\n:KUBE-SVC-A - [0:0]\n:KUBE-SEP-LEFT - [0:0]\n:OTHERS - [0:0]\n")
	for _, e := range slices.Concat(before, after) {
		fmt.Fprintf(&b, ":%s - [0:0]\n", chain(e))
	}
	b.WriteString("-F PREROUTING\n-F KUBE-SERVICES\n-A PREROUTING -j KUBE-SERVICES\n-A PREROUTING -j OTHERS\n")
	b.WriteString("-A OTHERS -p tcp -j DNAT --to-destination 10.0.0.1:22\n-A KUBE-SEP-LEFT -p tcp -j DNAT --to-destination 10.244.7.7:80\n")
	b.WriteString("-A KUBE-SERVICES -d 10.96.0.9/32 -p tcp -m comment --comment \"ns/echo\" -m tcp --dport 80 -j KUBE-SVC-A\n")
	for i, e := range after {
		fmt.Fprintf(&b, "-A KUBE-SVC-A -m statistic --mode random --probability %.5f -j %s\n", 1/float64(len(after)-i), chain(e))
		fmt.Fprintf(&b, "-A %s -s %s -j MARK --set-xmark 0x4000/0x4000\n-A %[1]s -p tcp -m tcp -j DNAT --to-destination %[3]s\n", chain(e),
			e.Addr(), e)
	}
	for _, e := range before {
		if !slices.Contains(after, e) {
			fmt.Fprintf(&b, "-X %s\n", chain(e))
		}
	}
	b.WriteString("COMMIT\n")
	return b.String()
}

// nftablesRules keeps the chains, with their rules, of endpoints that are gone.
func nftablesRules(before, after []netip.AddrPort) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	chain := func(e netip.AddrPort) string {
		return fmt.Sprintf("endpoint-ABCDEFGH-ns/echo/tcp/p__%s/%d", e.Addr(), e.Port())
	}
	line("add table ip kube-proxy")
	line("add map ip kube-proxy service-ips { type ipv4_addr . inet_proto . inet_service : verdict ; }")
	line("add chain ip kube-proxy services")
	line("add chain ip kube-proxy nat-prerouting { type nat hook prerouting priority -100 ; }")
	line("add chain ip kube-proxy service-A-ns/echo/tcp/p")
	line("flush chain ip kube-proxy services")
	line("flush chain ip kube-proxy nat-prerouting")
	line("flush chain ip kube-proxy service-A-ns/echo/tcp/p")
	line("flush map ip kube-proxy service-ips")
	line("add rule ip kube-proxy nat-prerouting jump services")
	line("add rule ip kube-proxy services ip daddr . meta l4proto . th dport vmap @service-ips")
	var elements []string
	for i, e := range after {
		line("add chain ip kube-proxy %s", chain(e))
		line("flush chain ip kube-proxy %s", chain(e))
		line("add rule ip kube-proxy %s meta l4proto tcp dnat to %s", chain(e), e)
		elements = append(elements, fmt.Sprintf("%d : goto %s", i, chain(e)))
	}
	if len(elements) > 0 {
		line("add rule ip kube-proxy service-A-ns/echo/tcp/p numgen random mod %d vmap { %s }", len(elements), strings.Join(elements, ", "))
		line("add element ip kube-proxy service-ips { 10.96.0.9 . tcp . 80 : goto service-A-ns/echo/tcp/p }")
	}
	return b.String()
}

func TestThereIsNothingToObserveWithoutThePermission(t *testing.T) {
	if !unprivileged(t) {
		return
	}
	var stderr bytes.Buffer
	p := kubeProxy(func(string) (string, error) { return "nftables", nil })
	code := run(t.Context(), nil, p, io.Discard, &stderr)
	if want := "it needs CAP_NET_ADMIN"; code != exitFailed || !strings.Contains(stderr.String(), want) {
		t.Errorf("exit code %d, %q, want %q", code, stderr.String(), want)
	}
}
