//go:build linux

package main

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"example.com/rollcall/harness/dataplane"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestWhatCannotBeObservedIsSaid(t *testing.T) {
	for _, tc := range []struct {
		sentence string
		args     []string
		mode     string
		code     int
		want     string
	}{
		{"an argument", []string{"-v"}, "iptables", exitUsage, `argument "-v": want -sparing, -until=TIME, -flows=ADDRESS:PORT,..., -clients=ADDRESS,... or none`},
		{"a destination without a port", []string{"-sparing", "-flows=10.96.0.10"}, "iptables", exitUsage,
			`argument "-flows=10.96.0.10": destination "10.96.0.10": want ADDRESS:PORT, or :PORT for any address`},
		{"a time that is none", []string{"-until=noon"}, "iptables", exitUsage, `argument "-until=noon": parsing time "noon"`},
		{"no destination", []string{"-flows="}, "iptables", exitUsage, `destination "": want ADDRESS:PORT`},
		{"a port that is none", []string{"-flows=:80,:65536"}, "iptables", exitUsage, `destination ":65536": want ADDRESS:PORT`},
		{"port 0", []string{"-flows=[fd00::1]:0"}, "iptables", exitUsage, `destination "[fd00::1]:0": want ADDRESS:PORT`},
		{"a name", []string{"-flows=shop:80"}, "iptables", exitUsage, `destination "shop:80": want ADDRESS:PORT`},
		{"a plane of another system", nil, "kernelspace", exitFailed, `data plane "kernelspace": want ` + strings.Join(dataplane.Names(), ", ")},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			var stderr bytes.Buffer
			p := kubeProxy(func(string) (string, error) { return tc.mode, nil })
			code := run(t.Context(), tc.args, p, io.Discard, &stderr)
			if code != tc.code || !strings.Contains(stderr.String(), tc.want) || strings.Count(stderr.String(), "\n") != 1 {
				t.Errorf("exit code %d, %q", code, stderr.String())
			}
		})
	}
}

// The observer of a run that was killed, and that nobody deletes, ends at its time, as at SIGTERM.
func TestEndsAtItsTime(t *testing.T) {
	var stderr bytes.Buffer
	p := kubeProxy(func(string) (string, error) { return "iptables", nil })
	if code := run(t.Context(), []string{"-until=2020-01-02T03:04:05Z"}, p, io.Discard, &stderr); code != exitOK {
		t.Errorf("exit code %d, %s", code, &stderr)
	}
}
