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
	Secret             // the variable ROLLCALL_ and the option's name; no arguments for another process have the value
)

// GivenToMake is the variable in which the Makefile lists the variables that its command line sets.
const GivenToMake = "ROLLCALL_GIVEN"

// An Option is one setting. It is a text, a list of them or a switch.
type Option struct {
	Flag    string // such as load-nodes
	Default Source
	Group   string // of the help, such as Cluster flags; empty: that of most
	Help    string // with the name of the value in backquotes
	Text    *string
	Texts   *[]string // one for each time that the flag is given
	Switch  *bool
}

// Variable is the environment variable of the option, such as LOAD_NODES.
func (o Option) Variable() string { return strings.ReplaceAll(strings.ToUpper(o.Flag), "-", "_") }

// secretVariable is that of the process's environment which has a secret.
func (o Option) secretVariable() string { return "ROLLCALL_" + o.Variable() }

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
	case Secret:
		return os.Getenv(o.secretVariable()), " [$" + o.secretVariable() + "]"
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
			if o.Default == Secret {
				flags.Lookup(o.Flag).DefValue = "" // which the help would print
			}
		}
	}
}

// on reports whether the variable of a switch turns it on.
func on(value string) bool { return value != "" && value != "0" && value != "false" }

// values are the option's, that of a switch being empty; none where it is not set.
func (o Option) values() []string {
	switch {
	case o.Switch != nil && *o.Switch:
		return []string{""}
	case o.Text != nil && *o.Text != "":
		return []string{*o.Text}
	case o.Texts != nil:
		return *o.Texts
	}
	return nil
}

// Given is the option as an error calls it, with its value unless that is a secret; empty where it is not set.
func (o Option) Given() string {
	values := o.values()
	switch {
	case len(values) == 0:
		return ""
	case o.Switch != nil || o.Default == Secret:
		return o.Flag
	}
	return o.Flag + " " + values[0]
}

// Args are the arguments that set the options of another process as these are. What is not set is left out, and so are secrets.
func (l List) Args() []string {
	var args []string
	for _, o := range l {
		for _, value := range o.values() {
			switch {
			case o.Switch != nil:
				args = append(args, "--"+o.Flag)
			case o.Default != Secret:
				args = append(args, "--"+o.Flag+"="+value)
			}
		}
	}
	return args
}

// Secrets are the variables of the environment that set those of another process as these are.
func (l List) Secrets() []string {
	var variables []string
	for _, o := range l {
		if o.Default == Secret && *o.Text != "" {
			variables = append(variables, o.secretVariable()+"="+*o.Text)
		}
	}
	return variables
}

// Only are the options with these flags.
func (l List) Only(flags ...string) List {
	return slices.DeleteFunc(slices.Clone(l), func(o Option) bool { return !slices.Contains(flags, o.Flag) })
}
