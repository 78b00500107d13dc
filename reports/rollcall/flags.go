package main

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/rollcall/harness/usage"
)

// addFlags makes flags of options.
func addFlags(cmd *cobra.Command, options usage.List) {
	flags := flag.NewFlagSet(cmd.Name(), flag.ContinueOnError)
	options.Register(flags)
	cmd.Flags().AddGoFlagSet(flags)
}

// nearestFlag adds to the error of a flag that a command has not which of its flags may be meant.
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

// nearestCommand adds to the error of a command that there is not which of them may be meant.
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
