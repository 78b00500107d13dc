//go:build linux

package main

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"go.uber.org/goleak"
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
		{"an argument", []string{"-v"}, "iptables", exitUsage, `argument "-v": want -sparing or none`},
		{"a mode of another system", nil, "kernelspace", exitFailed, `kube-proxy's mode "kernelspace": want iptables, nftables, ipvs`},
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
