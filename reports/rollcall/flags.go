package main

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/rollcall/harness/usage"
)

// addFlags gives a command a flag for each of the options.
func addFlags(cmd *cobra.Command, options usage.List) {
	flags := flag.NewFlagSet(cmd.Name(), flag.ContinueOnError)
	options.Register(flags)
	for _, o := range options {
		registered := flags.Lookup(o.Flag)
		f := pflag.PFlagFromGoFlag(registered)
		f.Shorthand = o.Short
		f.DefValue = registered.DefValue // pflag takes the value, which may be a secret of the environment
		if o.Group != "" {
			f.Annotations = map[string][]string{group: {o.Group}}
		}
		cmd.Flags().AddFlag(f)
	}
}

// group is the annotation of a flag with the group in which the help lists it.
const group = "group"

// helpWidth is how many columns the help has at most.
const helpWidth = 120

// groupFlags has the help list flags by their groups.
func groupFlags(root *cobra.Command) {
	cobra.AddTemplateFunc("byGroup", byGroup)
	root.SetUsageTemplate(strings.Replace(root.UsageTemplate(), ".LocalFlags.FlagUsages", "byGroup .LocalFlags", 1))
}

// byGroup lists flags, those without a group first.
func byGroup(flags *pflag.FlagSet) string {
	groups := map[string]*pflag.FlagSet{}
	flags.VisitAll(func(f *pflag.Flag) {
		title := strings.Join(f.Annotations[group], "")
		if groups[title] == nil {
			groups[title] = pflag.NewFlagSet(title, pflag.ContinueOnError)
		}
		groups[title].AddFlag(f)
	})
	text := ""
	for _, title := range slices.Sorted(maps.Keys(groups)) {
		if title != "" {
			text += "\n" + title + ":\n"
		}
		text += groups[title].FlagUsagesWrapped(helpWidth)
	}
	return text
}

// nearestFlag adds to the error about an unknown flag which of the command's flags may be meant.
func nearestFlag(cmd *cobra.Command, err error) error {
	var none *pflag.NotExistError
	if !errors.As(err, &none) {
		return err
	}
	word := none.GetSpecifiedName()
	if one := none.GetSpecifiedShortnames(); one != "" { // such as modes=ipvs, of -modes=ipvs
		word, _, _ = strings.Cut(one, "=")
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	return fmt.Errorf("%w%s", err, usage.Meant("--"+word, names...))
}

// nearestCommand adds to the error about an unknown command which commands may be meant.
func nearestCommand(root *cobra.Command, args []string, err error) error {
	parent, words, unknown := root.Find(args)
	if unknown == nil {
		return err
	}
	var names []string
	for _, cmd := range parent.Commands() {
		names = append(names, cmd.Name())
	}
	word := words[slices.IndexFunc(words, func(word string) bool { return !strings.HasPrefix(word, "-") })]
	return fmt.Errorf("%w%s", err, usage.Meant(word, names...))
}
