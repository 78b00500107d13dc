package commands

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/verdict/phrase"
)

// helpWidth is how many columns the help has at most.
const helpWidth = 120

// underTopic has the help of a command list flags under a topic.
func underTopic(cmd *cobra.Command, title usage.Topic, flags ...string) {
	for _, name := range flags {
		cmd.Flags().Lookup(name).Annotations = map[string][]string{topic: {string(title)}}
	}
}

// byTopic lists flags in the order in which they were added, under the topics in the order of their first flags; first come flags without
// a topic. A note says what stands in brackets.
func byTopic(flags *pflag.FlagSet) string {
	topics := []string{""}
	listed := map[string][]*pflag.Flag{}
	column := 0
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		title := strings.Join(f.Annotations[topic], "")
		if !slices.Contains(topics, title) {
			topics = append(topics, title)
		}
		listed[title] = append(listed[title], f)
		column = max(column, len(call(f)))
	})
	var b strings.Builder
	for _, title := range topics {
		if title != "" {
			fmt.Fprintf(&b, "\n%s:\n", title)
		}
		for _, f := range listed[title] {
			left := call(f)
			for _, line := range phrase.Wrap(strings.ReplaceAll(says(f), fromMake, fromMakeWhole), helpWidth-column-2) {
				fmt.Fprintf(&b, "%-*s  %s\n", column, left, strings.ReplaceAll(line, fromMakeWhole, fromMake))
				left = ""
			}
		}
	}
	return b.String() + sources(b.String())
}

// call returns how a flag is written, such as "  -f, --filename file".
func call(f *pflag.Flag) string {
	name := "      --" + f.Name
	if f.Shorthand != "" {
		name = "  -" + f.Shorthand + ", --" + f.Name
	}
	value, _ := pflag.UnquoteUsage(f)
	switch {
	case f.NoOptDefVal != "" && value != "":
		return name + "[=" + value + "]"
	case value != "":
		return name + " " + value
	}
	return name
}

// says returns what a flag does, and its default.
func says(f *pflag.Flag) string {
	_, text := pflag.UnquoteUsage(f)
	if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "[]" {
		text += " (default " + f.DefValue + ")"
	}
	return text
}

// A note that ends the help of a flag: its default is a variable of make's command line. Its lines are not broken within it.
const fromMake, fromMakeWhole = "[make ", "[make\x00"

// sources explains the notes in the help of flags that say where a default comes from.
func sources(help string) string {
	text := ""
	if strings.Contains(help, "[$") {
		text += "\n[$NAME]: without the flag, this environment variable says it."
	}
	if strings.Contains(help, fromMake) {
		text += "\n[make NAME=]: make sets it from this variable on its command line; the environment does not."
	}
	if text == "" {
		return ""
	}
	return text + "\n"
}
