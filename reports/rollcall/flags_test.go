package main

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// The help lists the flags that say which cluster it is in a group of their own.
func TestHelpGroupsFlags(t *testing.T) {
	for _, row := range []struct {
		args    []string
		cluster bool
	}{
		{[]string{"run"}, true},
		{[]string{"during"}, true},
		{[]string{"during", "begin"}, true},
		{[]string{"try"}, true},
		{[]string{"clean"}, true},
		{[]string{"image"}, false},
		{[]string{"preflight"}, false},
		{[]string{"list"}, false},
		{[]string{"report"}, false},
		{[]string{"during", "end"}, false},
	} {
		var help bytes.Buffer
		if code := run(append(row.args, "--help"), &help, io.Discard); code != 0 {
			t.Errorf("%q: exit code %d", row.args, code)
		}
		_, flags, _ := strings.Cut(help.String(), "\nFlags:\n")
		flags, cluster, grouped := strings.Cut(flags, "\n\nCluster flags:\n")
		if grouped != row.cluster || strings.Contains(flags, "--as-group") || strings.Contains(flags, "--context") {
			t.Errorf("%q has its cluster flags elsewhere:\n%s", row.args, &help)
		}
		for _, name := range []string{"--context context", "--kubeconfig file", "--as-group group", "--token token"} {
			if grouped && !strings.Contains(cluster, name) {
				t.Errorf("%q has no %s among its cluster flags:\n%s", row.args, name, cluster)
			}
		}
		for line := range strings.Lines(flags + "\n" + cluster) {
			if len(line) > helpWidth+1 {
				t.Errorf("%q: a line of %d columns: %s", row.args, len(line)-1, line)
			}
		}
	}
}

// Of a secret that the environment has, the help says where it is from, and not what it is.
func TestHelpHasNoSecret(t *testing.T) {
	t.Setenv("ROLLCALL_TOKEN", "open-sesame")
	var help bytes.Buffer
	if code := run([]string{"run", "--help"}, &help, io.Discard); code != 0 || !strings.Contains(help.String(), "[$ROLLCALL_TOKEN]") ||
		strings.Contains(help.String(), "open-sesame") {
		t.Errorf("exit code %d:\n%s", code, &help)
	}
}
