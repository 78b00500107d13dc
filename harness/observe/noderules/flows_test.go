//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestFlowLine(t *testing.T) {
	var out bytes.Buffer
	w, now := &lineWriter{out: &out}, time.Unix(1_700_000_000, 0)
	at := netip.MustParseAddrPort
	w.flow(now, []routedFlow{
		{Received: now.Add(-1500 * time.Nanosecond), Client: at("10.244.1.9:40000"), To: at("10.96.0.10:80"), Pod: at("10.244.1.2:8080")},
		{Received: now.Add(-time.Second), Client: at("[fd00::9]:40000"), To: at("[fd00::1]:80"), Pod: at("[fd00::2]:8080")},
	})
	want := "R 1700000000000000000 flow 10.244.1.9:40000 10.96.0.10:80 10.244.1.2:8080 1 " +
		"[fd00::9]:40000 [fd00::1]:80 [fd00::2]:8080 1000000\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

// heard is a listener with a given result.
type heard struct {
	flows []routedFlow
	since time.Time
	lost  error
}

func (h *heard) Take() (flows []routedFlow, since time.Time, lost error) {
	flows, since, lost = h.flows, h.since, h.lost
	*h = heard{}
	return flows, since, lost
}

func (h *heard) Close() error { return nil }

func TestWhatWasHeardIsWrittenInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one := netip.MustParseAddrPort("10.244.1.2:8080")
		some := func(n int) []routedFlow {
			return slices.Repeat([]routedFlow{{Received: time.Now(), Client: one, To: one, Pod: one}}, n)
		}
		var out bytes.Buffer
		w, h := &lineWriter{out: &out}, &heard{}
		f := flows{listener: h}
		for _, step := range []struct {
			sentence string
			after    time.Duration
			heard    heard
			want     string // the words of each line
		}{
			{"nothing", 0, heard{}, ""},
			{"too early", flowsEvery - 1, heard{flows: some(1)}, ""},
			{"in time, with what was heard before", 1, heard{flows: some(3)}, "17"},
			{"more than a line has", flowsEvery, heard{flows: some(2*flowsPerLine + 1)}, "401 401 5"},
			{"a loss", flowsEvery, heard{some(1), time.Unix(0, 5), errors.New("events were lost")}, "5 blind 5 flows events were lost"},
		} {
			time.Sleep(step.after)
			step.heard.flows = append(h.flows, step.heard.flows...)
			*h = step.heard
			out.Reset()
			f.write(w)
			var got []string
			for _, fields := range readLines(t, out.String()) {
				if fields[0] == "flow" {
					fields = []string{strconv.Itoa(len(fields))}
				}
				got = append(got, fields...)
			}
			if diff := cmp.Diff(step.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("%s: %s", step.sentence, diff)
			}
		}
	})
}

// TestFlowsAreWritten has a Service of this network namespace that is routed to one pod.
func TestFlowsAreWritten(t *testing.T) {
	for _, tc := range []struct {
		sentence string
		begin    string
		observe  func(context.Context, string, io.Writer) int
	}{
		{"beside rules", "begin iptables events", func(ctx context.Context, arg string, out io.Writer) int {
			p := kubeProxy(func(path string) (string, error) { return strings.TrimPrefix(path, "/proxyMode") + "iptables", nil })
			return run(ctx, []string{arg}, p, out, io.Discard)
		}},
		{"without rules", "none no answer", func(ctx context.Context, arg string, out io.Writer) int {
			to, err := parseDestinations(strings.TrimPrefix(arg, "-flows="))
			if err = errors.Join(err, absent(ctx, &lineWriter{out: out}, selection{to: to}, errors.New("no answer"))); err != nil {
				return exitFailed
			}
			return exitOK
		}},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			if !enteredNamespace(t, "ip", "iptables-nft-restore") {
				return
			}
			pod := routeToAPod(t)
			ctx, end := context.WithTimeout(t.Context(), time.Minute)
			defer end()
			reader, out := io.Pipe()
			exited := make(chan int, 1)
			go func() {
				defer out.Close()
				exited <- tc.observe(ctx, "-flows=127.0.0.9:80", out)
			}()
			lines := bufio.NewScanner(reader)
			next := func() []string {
				for lines.Scan() {
					fields := readLines(t, lines.Text()+"\n")[0]
					if kind := fields[0]; kind == "begin" || kind == "none" || strings.HasPrefix(kind, "flow") || kind == "end" {
						return fields
					}
				}
				t.Fatal("the output ended")
				return nil
			}
			for _, want := range []string{tc.begin, "flows"} {
				if line := strings.Join(next(), " "); line != want {
					t.Fatalf("%q, want %q", line, want)
				}
			}
			for i := range 3 { // the end makes it write the last one
				c, err := net.Dial("tcp", "127.0.0.9:80")
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				if i == 2 {
					end()
				}
				line := next()
				if len(line) != 5 {
					t.Fatal(line)
				}
				if age, err := strconv.Atoi(line[4]); err != nil || age < 0 {
					t.Error(line)
				}
				want := []string{"flow", c.LocalAddr().String(), "127.0.0.9:80", pod}
				if diff := cmp.Diff(want, line[:4]); diff != "" {
					t.Error(diff)
				}
			}
			if line := next(); line[0] != "end" {
				t.Error(line)
			}
			if code := <-exited; code != exitOK {
				t.Errorf("exit code %d", code)
			}
		})
	}
}

// routeToAPod returns the pod's address and port.
func routeToAPod(t *testing.T) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	pod := listener.Addr().String()
	route := exec.Command("iptables-nft-restore", "--noflush")
	rule := "-A OUTPUT -p tcp -d 127.0.0.9 --dport 80 -j DNAT --to-destination " + pod
	route.Stdin = strings.NewReader("*nat\n:OUTPUT ACCEPT\n" + rule + "\nCOMMIT\n")
	for _, cmd := range []*exec.Cmd{exec.Command("ip", "link", "set", "lo", "up"), route} {
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", cmd, err, out)
		}
	}
	return pod
}

func TestFlowsThatCannotBeSeenAreSaid(t *testing.T) {
	if !unprivileged(t) {
		return
	}
	var out bytes.Buffer
	f := listen(&lineWriter{out: &out}, selection{to: endpoints("10.96.0.10:80")})
	if err := f.end(&lineWriter{out: &out}); err != nil {
		t.Error(err)
	}
	fields := readLines(t, out.String())
	if len(fields) != 1 || fields[0][0] != "noflows" || !strings.HasSuffix(out.String(), "it needs CAP_NET_ADMIN\n") {
		t.Errorf("%q", out.String())
	}
}
