package commands

import (
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/kube"
	"example.com/rollcall/harness/layout"
)

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print which build this is",
		Args:  noArgs(unmeant),
		RunE:  func(cmd *cobra.Command, _ []string) error { return printVersion(cmd.OutOrStdout()) },
	}
}

// addVersionFlag adds the flag --version. Cobra's own would need its text before anybody asks for it, and the programs of a release take
// time to unpack. It has no shorthand: -v belongs to run.
func addVersionFlag(root *cobra.Command) {
	asked := root.Flags().Bool("version", false, "print which build this is")
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		if *asked {
			return printVersion(cmd.OutOrStdout())
		}
		return cmd.Help()
	}
}

func printVersion(w io.Writer) error {
	digests, err := layout.ReleasedDigests()
	if err != nil {
		return infrastructure(err)
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	_, err = io.WriteString(w, store.Version()+"\n"+build(info, digests))
	return infrastructure(err)
}

// build returns what is known of a build beside its name in reports.
func build(info *debug.BuildInfo, digests []layout.Digest) string {
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-10s  %s\n", name, value)
		}
	}
	setting := map[string]string{}
	for _, s := range info.Settings {
		setting[s.Key] = s.Value
	}
	date := setting["vcs.time"]
	if setting["vcs.modified"] == "true" {
		date += ", and changes that were not committed"
	}
	line("version", strings.TrimSuffix(info.Main.Version, "(devel)"))
	line("date", date)
	line("kubernetes", strings.Join(kube.Releases(), ", "))
	line("go", strings.TrimSpace(info.GoVersion+" "+setting["GOOS"]+"/"+setting["GOARCH"]))
	for _, d := range digests {
		line("inside", fmt.Sprintf("%s linux/%s sha256:%s", d.Program, d.Arch, d.SHA256))
	}
	return b.String()
}
