package commands

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/rollcall/harness/usage"
)

// noArgs refuses every argument of a command. meant returns what the first one may have meant, or nothing.
func noArgs(meant func(word string) string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		remedy := "leave it out: " + cmd.CommandPath() + " --help lists its options"
		if option := meant(args[0]); option != "" {
			remedy = "write " + option
		}
		return usage.New(cmd.CommandPath()+" "+args[0], "it takes no such word", remedy)
	}
}

// unmeant is for noArgs of a command whose options no word may mean.
func unmeant(string) string { return "" }

// countArgs refuses fewer and more arguments than these. what says what they are.
func countArgs(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return usage.New(cmd.CommandPath(), "too little is named", "name "+what)
		case len(args) > most:
			return usage.New(cmd.CommandPath()+" "+strings.Join(args, " "), "too much is named", "name "+what)
		}
		return nil
	}
}

// inOneForm returns an error of cobra's in the form of all errors: the thing, the reason and the remedy, with what a misspelt word may
// mean.
func inOneForm(root *cobra.Command, args []string, err error) error {
	if err == nil {
		return nil
	}
	parent, words, unknown := root.Find(args)
	if unknown != nil {
		word := words[slices.IndexFunc(words, func(word string) bool { return !strings.HasPrefix(word, "-") })]
		var names []string
		for _, cmd := range parent.Commands() {
			names = append(names, cmd.Name())
		}
		return usage.New(parent.CommandPath()+" "+word, "unknown command", parent.CommandPath()+" --help lists them"+
			usage.Meant(word, names...))
	}
	if both := regexp.MustCompile(`none of the others can be; \[(.*)\] were all set`).FindStringSubmatch(err.Error()); both != nil {
		return usage.New("--"+strings.ReplaceAll(both[1], " ", ", --"), "they exclude each other", "leave one of them out")
	}
	return err
}

// flagError does the same for an error about a flag.
func flagError(cmd *cobra.Command, err error) error {
	var none *pflag.NotExistError
	if errors.As(err, &none) {
		name, word := "--"+none.GetSpecifiedName(), "--"+none.GetSpecifiedName()
		if one := none.GetSpecifiedShortnames(); one != "" { // such as modes=ipvs, of -modes=ipvs
			name, word = "-"+one, "--"+one
		}
		word, _, _ = strings.Cut(word, "=")
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		return usage.New(name, cmd.CommandPath()+" has no such option", cmd.CommandPath()+" --help lists them"+usage.Meant(word, names...))
	}
	var bare *pflag.ValueRequiredError
	if errors.As(err, &bare) {
		return usage.New("--"+bare.GetFlag().Name, errEmpty.Error(), writeIt(bare.GetFlag()))
	}
	var bad *pflag.InvalidValueError
	if !errors.As(err, &bad) {
		return err
	}
	given := "--" + bad.GetFlag().Name + "=" + bad.GetValue()
	if errors.Is(err, errEmpty) {
		return usage.New(given, errEmpty.Error(), writeIt(bad.GetFlag()))
	}
	reason, remedy, two := strings.Cut(bad.Unwrap().Error(), ": ")
	if !two {
		remedy = writeIt(bad.GetFlag())
	}
	return usage.New(given, reason, remedy)
}

// writeIt says how a flag gets a value.
func writeIt(f *pflag.Flag) string {
	value, _ := pflag.UnquoteUsage(f)
	return "write --" + f.Name + "=" + strings.ToUpper(value) + ", or leave --" + f.Name + " out"
}
