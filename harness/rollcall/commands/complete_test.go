package commands

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
)

func TestValuesAreCompleted(t *testing.T) {
	dir := runFolder(t)
	for _, row := range []struct {
		sentence string
		words    []string // the last one is to be completed
		want     []string // are among those offered
		not      string   // is not
	}{
		{"profiles", []string{"run", "--profile", ""}, []string{"smoke", "core", "full"}, ""},
		{"the profiles of a list", []string{"list", "--profile", "c"}, []string{"core"}, ""},
		{"modes", []string{"run", "--modes", ""}, []string{"iptables", "nftables", "ipvs"}, ""},
		{"modes after one", []string{"run", "--modes", "iptables,"}, []string{"iptables,nftables", "iptables,ipvs"}, "iptables,iptables"},
		{"a mode of a try", []string{"try", "--modes", "n"}, []string{"nftables"}, ""},
		{"suites", []string{"run", "--suites", "c"}, []string{"control"}, "rollout"},
		{"suites of a list", []string{"list", "--suites", "control,r"}, []string{"control,rollout"}, ""},
		{"versions of Kubernetes", []string{"run", "--k8s", ""}, []string{"v1.37.2"}, ""},
		{"things to allow", []string{"run", "--allow", ""}, []string{"node-rules", "flows", "disruption:"}, ""},
		{"formats", []string{"list", "-o", ""}, []string{"text", "json", "yaml", "markdown"}, ""},
		{"names to explain", []string{"explain", ""}, []string{"drained-rolling-update", "RC2017", "control", "inconclusive"}, ""},
		{"schemas", []string{"schema", "p"}, []string{"policy", "preflight"}, ""},
		{"scenarios to draw", []string{"report", dir, "--picture", ""}, []string{"iptables/rollout/drained"}, ""},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			var out bytes.Buffer
			if code := Execute(append([]string{"__complete"}, row.words...), &out, io.Discard); code != 0 {
				t.Errorf("exit code %d", code)
			}
			offered := strings.Fields(out.String())
			for _, want := range row.want {
				if !slices.Contains(offered, want) {
					t.Errorf("%s is not offered, only %q", want, offered)
				}
			}
			if row.not != "" && slices.Contains(offered, row.not) {
				t.Errorf("%s is offered", row.not)
			}
		})
	}
}
