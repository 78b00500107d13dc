package main

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"example.com/rollcall/harness/try"
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

// The command line that is recorded does not have the token.
func TestTheLineOfACommand(t *testing.T) {
	o := try.Options{}
	options := o.Reach()
	got := ""
	cmd := &cobra.Command{Use: "try", Run: func(cmd *cobra.Command, _ []string) { got = commandLine(cmd, options) }}
	cmd.Flags().StringArrayVarP(&o.Files, "filename", "f", nil, "")
	cmd.Flags().BoolVar(&o.Twin, "twin", false, "")
	cmd.Flags().BoolVar(&o.Needed, "needed", false, "")
	addFlags(cmd, options)
	cmd.SetArgs(strings.Fields("-f k8s/ -f more.yaml --token open-sesame --twin --context=staging --as-group=dev --as-group=ops --as=jane"))
	if err := cmd.Execute(); err != nil {
		t.Fatal(err)
	}
	const want = "rollcall try --filename=k8s/ --filename=more.yaml --twin --context=staging --as=jane --as-group=dev --as-group=ops"
	if got != want {
		t.Errorf("%s, want %s", got, want)
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
