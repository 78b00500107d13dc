package inspect_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"example.com/rollcall/harness/golden"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/reports/inspect"
)

//go:generate go test . -update

// What is printed of recordings from real clusters.
func TestTexts(t *testing.T) {
	const undrained, restarted = "../testdata/recorded/iptables-undrained", "../testdata/advice/none-available"
	names := map[string]string{undrained: "iptables/recorded/undrained", restarted: "nftables/during/maintenance"}
	for _, row := range []struct {
		golden, folder, request, pod string
	}{
		{"scenario.txt", undrained, "", ""},
		{"request-reset.txt", undrained, "worker2-fresh/148", ""},
		{"request-good.txt", undrained, "worker-fresh/10", ""},
		{"pod.txt", undrained, "", "p676l"},
		{"request-tracked.txt", restarted, "worker2-fresh/80", ""},
		{"request-nowhere.txt", restarted, "worker-fresh/130", ""},
	} {
		t.Run(row.golden, func(t *testing.T) {
			var asked []timeline.HitID
			if row.request != "" {
				id, err := inspect.ParseRequest(row.request)
				if err != nil {
					t.Fatal(err)
				}
				asked = append(asked, id)
			}
			r, err := inspect.Open(row.folder, names[row.folder], asked...)
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			switch {
			case row.request != "":
				err = r.Request(&b, asked[0])
			case row.pod != "":
				err = r.Pod(&b, row.pod)
			default:
				r.Summary(&b)
			}
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(b.String()) {
				if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 120 {
					t.Errorf("%d columns: %s", n, line)
				}
			}
			golden.File(t, "testdata/"+row.golden, b.Bytes())
		})
	}
}
