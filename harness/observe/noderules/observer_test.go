//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/rollcall/harness/dataplane"
)

// kubeProxy is a kube-proxy that answers with what the function returns for a path.
func kubeProxy(answer func(path string) (string, error)) proxies {
	return proxies{[]*dataplane.Proxy{dataplane.KubeProxy}, answering(func(r *http.Request) (string, error) { return answer(r.URL.Path) })}
}

// answering is a client of servers that answer with what the function returns.
func answering(answer func(*http.Request) (string, error)) *http.Client {
	return &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		body, err := answer(r)
		if err != nil {
			return nil, err
		}
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(body))}, nil
	})}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// played is a source that returns one picture after the other, then ends the run.
type played struct {
	pictures []picture
	end      context.CancelFunc
	checked  error
}

type picture struct {
	endpoints []netip.AddrPort
	err       error
	delay     time.Duration // before it is returned
}

func (p *played) look(context.Context, time.Time) ([]netip.AddrPort, error) {
	if len(p.pictures) == 1 {
		p.end()
	}
	now := p.pictures[0]
	p.pictures = p.pictures[1:]
	time.Sleep(now.delay)
	return now.endpoints, now.err
}

func (p *played) check() error { return p.checked }
func (p *played) close() error { return nil }

// play returns the output of an observer that gets the pictures, as fields of its lines without the times, which are those of a bubble:
// no look is late because this machine is busy.
func play(t *testing.T, v *played) (lines [][]string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		v.end = cancel
		var out bytes.Buffer
		o := &observer{out: &lineWriter{out: &out}, source: v, load: loadReader{proc: "/proc"}, every: usualCadence()}
		if err := o.run(ctx, "iptables", "events"); err != nil {
			t.Fatal(err)
		}
		lines = readLines(t, out.String())
	})
	return lines
}

func readLines(t *testing.T, text string) [][]string {
	t.Helper()
	var lines [][]string
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) < 3 || fields[0] != "R" || !strings.HasSuffix(line, "\n") || strings.Contains(line, "  ") {
			t.Fatalf("line %q is not in the observer's format", line)
		}
		lines = append(lines, fields[2:])
	}
	return lines
}

func endpoints(texts ...string) []netip.AddrPort {
	var list []netip.AddrPort
	for _, text := range texts {
		list = append(list, netip.MustParseAddrPort(text))
	}
	slices.SortFunc(list, netip.AddrPort.Compare)
	return list
}

func TestObserverWritesWhatChanged(t *testing.T) {
	broken := errors.New("events\nwere lost")
	one, two := endpoints("10.244.1.2:8080"), endpoints("10.244.1.2:8080", "10.244.2.2:8080")
	for _, tc := range []struct {
		sentence string
		pictures []picture
		checked  error
		want     string
	}{
		{"nothing changes", []picture{{}, {}}, nil, ""},
		{"what is there at the beginning is added", []picture{{endpoints: two}, {endpoints: two}}, nil,
			"added 10.244.1.2 8080|added 10.244.2.2 8080"},
		{"one comes", []picture{{endpoints: one}, {endpoints: two}}, nil, "added 10.244.1.2 8080|added 10.244.2.2 8080"},
		{"one goes", []picture{{endpoints: two}, {endpoints: one}}, nil, "added 10.244.1.2 8080|added 10.244.2.2 8080|gone 10.244.2.2 8080"},
		{"one port for the other", []picture{{endpoints: one}, {endpoints: endpoints("10.244.1.2:80")}}, nil,
			"added 10.244.1.2 8080|gone 10.244.1.2 8080|added 10.244.1.2 80"},
		{"an IPv6 endpoint", []picture{{endpoints: endpoints("[fd00::1]:80")}}, nil, "added fd00::1 80"},
		{"a look that fails is a blindness once it is over, and hides nothing",
			[]picture{{endpoints: one}, {err: broken}, {err: io.EOF}, {endpoints: two}}, nil,
			"added 10.244.1.2 8080|blind SINCE rules events were lost|added 10.244.2.2 8080"},
		{"a blindness that does not end ends with the output", []picture{{endpoints: one}, {err: broken}}, nil,
			"added 10.244.1.2 8080|blind SINCE rules events were lost"},
		{"looks far apart are a blindness", []picture{{endpoints: one}, {endpoints: two, delay: usualCadence().late + 1}}, nil,
			"added 10.244.1.2 8080|blind SINCE rules no look for|added 10.244.2.2 8080"},
		{"what does not stand up to the check was not seen from the beginning", []picture{{endpoints: one}}, broken,
			"added 10.244.1.2 8080|blind SINCE rules events were lost"},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			var got []string
			for _, fields := range play(t, &played{pictures: tc.pictures, checked: tc.checked}) {
				if fields[0] == "blind" {
					fields[1] = "SINCE"
				}
				line := strings.Join(fields, " ")
				if before, _, found := strings.Cut(line, "no look for "); found {
					line = before + "no look for"
				}
				got = append(got, line)
			}
			want := slices.DeleteFunc(strings.Split("begin iptables events|"+tc.want+"|end", "|"), func(s string) bool { return s == "" })
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestChangesAddUpToWhatThereIs(t *testing.T) {
	anySet := rapid.Custom(func(t *rapid.T) []netip.AddrPort {
		numbers := rapid.SliceOfNDistinct(rapid.IntRange(0, 20), 0, 20, rapid.ID[int]).Draw(t, "pods")
		slices.Sort(numbers)
		var set []netip.AddrPort
		for _, n := range numbers {
			set = append(set, netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 244, byte(n % 3), byte(n)}), 8080))
		}
		slices.SortFunc(set, netip.AddrPort.Compare)
		return set
	})
	rapid.Check(t, func(rt *rapid.T) {
		sets := rapid.SliceOfN(anySet, 1, 10).Draw(rt, "sets")
		v := &played{}
		for _, set := range sets {
			v.pictures = append(v.pictures, picture{endpoints: set})
		}
		changes := 0
		for i, set := range sets {
			before := []netip.AddrPort{}
			if i > 0 {
				before = sets[i-1]
			}
			for _, e := range slices.Concat(before, set) {
				if slices.Contains(before, e) != slices.Contains(set, e) {
					changes++
				}
			}
		}
		known := map[string]bool{}
		for _, fields := range play(t, v) {
			if len(fields) != 3 || fields[0] == "begin" {
				continue
			}
			e, added := fields[1]+":"+fields[2], fields[0] == "added"
			if known[e] == added {
				rt.Fatalf("%v, which was so before", fields)
			}
			known[e] = added
			changes--
		}
		for _, e := range sets[len(sets)-1] {
			if !known[e.String()] {
				rt.Fatalf("%s is missing from %v", e, known)
			}
			delete(known, e.String())
		}
		for e, there := range known {
			if there {
				rt.Fatalf("%s is left over", e)
			}
		}
		if changes != 0 {
			rt.Fatalf("%d changes more than lines", changes)
		}
	})
}

func TestLoadThatCannotBeReadIsABlindness(t *testing.T) {
	var out bytes.Buffer
	o := &observer{out: &lineWriter{out: &out}, load: loadReader{proc: t.TempDir()}, loadRead: time.Unix(0, 7)}
	o.writeLoad()
	if got := readLines(t, out.String()); len(got) != 1 || !strings.HasPrefix(strings.Join(got[0], " "), "blind 7 loads read load: ") {
		t.Errorf("%q", got)
	}
}

// A broken writer returns an error.
type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestOutputThatCannotBeWrittenEndsTheRun(t *testing.T) {
	o := &observer{out: &lineWriter{out: brokenWriter{}}, source: &played{pictures: []picture{{}}, end: func() {}}, every: usualCadence()}
	if err := o.run(t.Context(), "iptables", "events"); !errors.Is(err, io.ErrClosedPipe) {
		t.Error(err)
	}
}
