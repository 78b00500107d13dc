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

// addFlags gives a command a flag for each of the options.
func addFlags(cmd *cobra.Command, options usage.List) {
	flags := flag.NewFlagSet(cmd.Name(), flag.ContinueOnError)
	options.Register(flags)
	for _, o := range options {
		registered := flags.Lookup(o.Flag)
		f := pflag.PFlagFromGoFlag(registered)
		f.Shorthand = o.Short
		f.DefValue = registered.DefValue // pflag takes the value, which may be a secret of the environment
		f.Annotations = map[string][]string{topic: {string(o.Topic)}}
		cmd.Flags().AddFlag(f)
	}
}

// topic is the annotation of a flag with the topic under which the help lists it.
const topic = "topic"

// settleFlags refuses every flag of the commands, and of those below them, that is given with an empty value, mostly by a variable that is
// not set. It keeps flags in the order in which they were added.
func settleFlags(commands []*cobra.Command) {
	for _, cmd := range commands {
		cmd.Flags().SortFlags = false
		cmd.Flags().VisitAll(func(f *pflag.Flag) { f.Value = filledValue{f.Value} })
		settleFlags(cmd.Commands())
	}
}

type filledValue struct{ pflag.Value }

func (v filledValue) Set(text string) error {
	if strings.Trim(text, ", \t\r\n") == "" {
		return errEmpty
	}
	return v.Value.Set(text)
}

var errEmpty = errors.New("it has no value")

// flagError returns cobra's error about a flag in the form of all errors, and says which flag may be meant by one that is unknown.
func flagError(cmd *cobra.Command, err error) error {
	var bad *pflag.InvalidValueError
	if !errors.As(err, &bad) {
		return nearestFlag(cmd, err)
	}
	f := bad.GetFlag()
	name := "--" + f.Name + "=" + bad.GetValue()
	if errors.Is(err, errEmpty) {
		value, _ := pflag.UnquoteUsage(f)
		return usage.New(name, errEmpty.Error(), fmt.Sprintf("write --%s=%s, or leave --%[1]s out", f.Name, strings.ToUpper(value)))
	}
	return fmt.Errorf("%s: %w", name, bad.Unwrap())
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
