package run

import (
	"bytes"
	"strings"
	"testing"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/progress"
)

func TestAPlanSaysHowLongARunTakes(t *testing.T) {
	in := func(mode, id string, seconds float64, beside int) Planned {
		return Planned{Scenario: harness.Scenario{ID: id}, Name: progress.Name{Mode: mode, Suite: "rollout", Scenario: id},
			Seconds: seconds, Beside: beside}
	}
	unloaded := in("iptables", "defaults", 40, 4)
	load := in("iptables", "drained", 60, 2)
	alone := in("iptables", "under-load", 80, 1)
	same, asked := load, load
	same.Serves, asked.Serves = "5eed", "5eed"
	fresh := alone
	fresh.Apart = true
	left, skipped, other := unloaded, unloaded, in("nftables", "defaults", 40, 4)
	left.LeftOut, skipped.Skipped = true, "no IP_VS"
	for _, row := range []struct {
		sentence string
		listed   []Planned
		seconds  float64 // beside that of the clusters
		clusters float64
		says     string
	}{
		{"nothing to do takes no time", nil, 0, 0, "profile core takes 0s"},
		{"four without load go side by side", []Planned{unloaded, unloaded, unloaded, unloaded}, 40, 1,
			"iptables takes 1m45s for 4 scenarios"},
		{"two under load do, and then two without load", []Planned{load, load, unloaded, unloaded}, 60 + 20, 1, "4 scenarios"},
		{"a recording that two judge is made once", []Planned{same, asked, load}, 60.5, 1, "3 scenarios"},
		{"what wants the whole cluster goes after them", []Planned{unloaded, alone}, 10 + 80, 1, "2 scenarios"},
		{"one with a fresh cluster needs no other", []Planned{fresh}, 80, 0, "1 scenarios"},
		{"what the profile leaves out takes none and is counted", []Planned{unloaded, left}, 10, 1,
			"profile core leaves out 1 scenarios of each mode, which --profile=full records"},
		{"nor does what is skipped", []Planned{unloaded, skipped}, 10, 1, "1 scenarios"},
		{"a second mode takes its own", []Planned{unloaded, other}, 20, 2, "nftables takes"},
		{"over an hour it says what would be shorter", []Planned{in("iptables", "long", 20000, 4)}, 5000, 1,
			"over an hour: --profile=core"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			d := Plan{Jobs: 4, Profile: harness.Core, ModesAtOnce: 1, Scenarios: row.listed}.duration()
			if want := row.seconds + row.clusters*harness.ClusterLasts.Seconds(); d.seconds() != want {
				t.Errorf("%.0f s, want %.0f", d.seconds(), want)
			}
			var said bytes.Buffer
			d.print(&said)
			if !strings.Contains(said.String(), row.says) {
				t.Errorf("%q is not in\n%s", row.says, &said)
			}
			for line := range strings.Lines(said.String()) {
				if len(line) > 121 {
					t.Errorf("%d columns: %s", len(line), line)
				}
			}
		})
	}
}
