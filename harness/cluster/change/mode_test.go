package change

import (
	"strings"
	"testing"
	"testing/synctest"
)

// The change of one kube-proxy's mode edits the configuration, and undo restores it.
func TestModeIsUndone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newFakeCluster(t, nil, before)
		undo, err := Mode("worker", "iptables").Make(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		config, noted, pods := c.state(t)
		if !strings.Contains(config, "mode: iptables") || noted != before || pods != "kube-proxy-1" {
			t.Errorf("changed: pods %s, before it was %q, now\n%s", pods, noted, config)
		}
		if err := undo(t.Context()); err != nil {
			t.Fatal(err)
		}
		config, noted, pods = c.state(t)
		if config != before || noted != "" || pods != "kube-proxy-2" {
			t.Errorf("undone: pods %s, before it was %q, now\n%s", pods, noted, config)
		}
	})
}
