//go:build linux

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLoad(t *testing.T) {
	for _, tc := range []struct {
		sentence     string
		first, then  string // lines of stat
		count, limit string // of conntrack; empty: no such file
		want         load
		fails        string
	}{
		{"a quarter of the time since the last reading was not idle", "cpu  10 0 10 100 0 0 0 0 0 0", "cpu  20 0 20 150 10 1 2 2 0 0", "12\n",
			"262144\n", load{294, 23, 12, 262144}, ""},
		{"time stood still", "cpu  1 0 1 1 0 0 0 0 0 0", "cpu  1 0 1 1 0 0 0 0 0 0", "0\n", "8\n", load{0, 0, 0, 8}, ""},
		{"what was stolen has gone back", "cpu  10 0 10 100 0 0 0 9 0 0", "cpu  20 0 20 150 0 0 0 4 0 0", "0\n", "8\n", load{230, 0, 0, 8}, ""},
		{"all of it has gone back", "cpu  10 0 10 100 0 0 0 9 0 0", "cpu  10 0 10 100 0 0 0 4 0 0", "0\n", "8\n", load{0, 0, 0, 8}, ""},
		{"a node without conntrack", "cpu  1 0 1 1 0 0 0 0 0 0", "cpu  2 0 1 2 0 0 0 0 0 0", "", "", load{500, 0, 0, 0}, ""},
		{"a stat that is something else", "", "intr 5", "0\n", "8\n", load{}, `stat begins with "intr 5"`},
		{"a count that is none", "", "cpu  1 0 1 1 0 0 0 0 0 0", "many\n", "8\n", load{}, "nf_conntrack_count"},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			g := loadReader{proc: t.TempDir()}
			put := func(name, text string) {
				if text == "" {
					return
				}
				file := filepath.Join(g.proc, name)
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			put("sys/net/netfilter/nf_conntrack_count", tc.count)
			put("sys/net/netfilter/nf_conntrack_max", tc.limit)
			if tc.first != "" {
				put("stat", tc.first)
				if _, err := g.read(); err != nil {
					t.Fatal(err)
				}
			}
			put("stat", tc.then)
			got, err := g.read()
			if tc.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tc.fails) {
					t.Errorf("error %v, want one with %q", err, tc.fails)
				}
				return
			}
			if err != nil || got != tc.want {
				t.Errorf("load %+v (%v), want %+v", got, err, tc.want)
			}
		})
	}
}
