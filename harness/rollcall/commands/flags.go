package commands

import (
	"errors"
	"flag"
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
		if o.Texts != nil {
			f.Annotations[repeats] = nil
		}
		cmd.Flags().AddFlag(f)
		completeFlag(cmd, o.Flag, o.Values)
	}
}

// topic is the annotation of a flag with the topic under which the help lists it.
const topic = "topic"

// repeats is the annotation of a flag that may be given again.
const repeats = "repeats"

// settleFlags refuses every flag of the commands, and of those below them, that is given with an empty value, mostly by a variable that is
// not set, and every one that is given twice but may not be: the last one would win, without a word. It keeps flags in the order in
// which they were added.
func settleFlags(commands []*cobra.Command) {
	for _, cmd := range commands {
		cmd.Flags().SortFlags = false
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			_, again := f.Annotations[repeats]
			_, list := f.Value.(pflag.SliceValue)
			f.Value = &filledValue{Value: f.Value, repeats: again || list}
		})
		settleFlags(cmd.Commands())
	}
}

type filledValue struct {
	pflag.Value
	repeats, set bool
}

func (v *filledValue) Set(text string) error {
	switch {
	case strings.Trim(text, ", \t\r\n") == "":
		return errEmpty
	case v.set && !v.repeats:
		return errors.New("it is given twice: leave one of them out")
	}
	v.set = true
	return v.Value.Set(text)
}

var errEmpty = errors.New("it has no value")
