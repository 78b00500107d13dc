package commands

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/rollcall/harness/usage"
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
		if code := Execute(append(row.args, "--help"), &help, io.Discard); code != 0 {
			t.Errorf("%q: exit code %d", row.args, code)
		}
		_, flags, _ := strings.Cut(help.String(), "\nFlags:\n")
		flags, cluster, grouped := strings.Cut(flags, "\n\nAn existing cluster:\n")
		if grouped != row.cluster || strings.Contains(flags, "--as-group") {
			t.Errorf("%q has its cluster flags elsewhere:\n%s", row.args, &help)
		}
		for _, name := range []string{"--kubeconfig file", "--as-group group", "--token token"} {
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

// The help has options before their topics and, in each topic, in the order in which the command lists them.
func TestHelpKeepsTheOrderOfOptions(t *testing.T) {
	cmd := &cobra.Command{Use: "fly"}
	var height, speed string
	var loud bool
	addFlags(cmd, usage.List{
		{Flag: "speed", Topic: usage.Load, Default: usage.Make, Text: &speed, Help: "`knots` to fly at"},
		{Flag: "height", Short: "z", Default: usage.Environment, Text: &height, Help: "`feet` to fly at"},
		{Flag: "aloud", Topic: usage.Load, Switch: &loud, Help: "say so"},
	}.First("height"))
	addServe(cmd, &height)
	settleFlags([]*cobra.Command{cmd})
	want := `  -z, --height feet   feet to fly at [$HEIGHT]
      --serve[=port]  show the run on a page at 127.0.0.1 until it ends, at this port or at any that is free

Load and time:
      --speed knots   knots to fly at [make SPEED=]
      --aloud         say so

[$NAME]: without the flag, this environment variable says it.
[make NAME=]: make sets it from this variable on its command line; the environment does not.
`
	if diff := cmp.Diff(want, byTopic(cmd.Flags())); diff != "" {
		t.Error(diff)
	}
}

// An option with an empty value is refused: the variable that it was to have was not set. No command is called, since one that took such a
// value would make a cluster, or remove one.
func TestNoOptionIsEmpty(t *testing.T) {
	var each func(*cobra.Command)
	each = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			each(sub)
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Value.Type() == "bool" {
				return
			}
			for _, empty := range []string{"", " ", ","} {
				if err := cmd.ParseFlags([]string{"--" + f.Name + "=" + empty}); !errors.Is(err, errEmpty) {
					t.Errorf("%s --%s=%s: %v", cmd.CommandPath(), f.Name, empty, err)
				}
			}
		})
	}
	each(rootCommand())
}

// Of a secret that the environment has, the help says where it is from, and not what it is.
func TestHelpHasNoSecret(t *testing.T) {
	t.Setenv("ROLLCALL_TOKEN", "open-sesame")
	var help bytes.Buffer
	if code := Execute([]string{"run", "--help"}, &help, io.Discard); code != 0 || !strings.Contains(help.String(), "[$ROLLCALL_TOKEN]") ||
		strings.Contains(help.String(), "open-sesame") {
		t.Errorf("exit code %d:\n%s", code, &help)
	}
}
