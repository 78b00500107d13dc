package usage

import (
	"flag"
	"os"
	"slices"
	"strings"
)

// A Source is where the default of an option comes from, beside its flag.
type Source uint8

// Sources. A cluster of somebody else's is named on purpose: that CONTEXT merely stands in the environment names none.
const (
	Unset       Source = iota
	Environment        // the variable of the option's name
	Make               // that variable, where make's command line sets it: make conformance CONTEXT=staging
)

// GivenToMake is the variable in which the Makefile lists the variables that its command line sets.
const GivenToMake = "ROLLCALL_GIVEN"

// An Option is one setting. It is a text, a list of them or a switch.
type Option struct {
	Flag    string // such as load-nodes
	Default Source
	Help    string // with the name of the value in backquotes
	Text    *string
	Texts   *[]string // one for each time that the flag is given
	Switch  *bool
}

// Variable is the environment variable of the option, such as LOAD_NODES.
func (o Option) Variable() string { return strings.ReplaceAll(strings.ToUpper(o.Flag), "-", "_") }

// source is the option's default, and what its help says of where that comes from.
func (o Option) source() (value, said string) {
	name := o.Variable()
	switch o.Default {
	case Environment:
		return os.Getenv(name), " [$" + name + "]"
	case Make:
		if slices.Contains(strings.Fields(os.Getenv(GivenToMake)), name) {
			value = os.Getenv(name)
		}
		return value, " [make " + name + "=]"
	case Unset:
	}
	return "", ""
}

// A List is a table of options.
type List []Option

// Register makes flags of the options, with the defaults of their sources.
func (l List) Register(flags *flag.FlagSet) {
	for _, o := range l {
		value, said := o.source()
		help := o.Help + said
		switch {
		case o.Switch != nil:
			flags.BoolVar(o.Switch, o.Flag, on(value), help)
		case o.Texts != nil:
			flags.Func(o.Flag, help, func(text string) error { *o.Texts = append(*o.Texts, text); return nil })
		default:
			flags.StringVar(o.Text, o.Flag, value, help)
		}
	}
}

// on reports whether the variable of a switch turns it on.
func on(value string) bool { return value != "" && value != "0" && value != "false" }

// Args are the arguments that set the options of another process as these are. What is not set is left out.
func (l List) Args() []string {
	var args []string
	for _, o := range l {
		switch {
		case o.Switch != nil && *o.Switch:
			args = append(args, "--"+o.Flag)
		case o.Text != nil && *o.Text != "":
			args = append(args, "--"+o.Flag+"="+*o.Text)
		case o.Texts != nil:
			for _, text := range *o.Texts {
				args = append(args, "--"+o.Flag+"="+text)
			}
		}
	}
	return args
}

// Only are the options with these flags.
func (l List) Only(flags ...string) List {
	return slices.DeleteFunc(slices.Clone(l), func(o Option) bool { return !slices.Contains(flags, o.Flag) })
}
