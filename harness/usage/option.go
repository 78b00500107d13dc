package usage

import (
	"flag"
	"os"
	"slices"
	"strings"
)

// A Source is the environment variable from which an option gets its value if its flag is not set.
type Source uint8

// Sources. An option about somebody else's cluster has the source Make, so that a CONTEXT that happens to be in the environment does
// not select a cluster.
const (
	Unset       Source = iota
	Environment        // the variable Option.Variable
	Make               // that variable, if make's command line sets it: make conformance CONTEXT=staging
	Secret             // the variable ROLLCALL_ and Option.Variable; the value is never passed to another process as an argument
)

// GivenToMake is the variable in which the Makefile lists the variables that its command line sets.
const GivenToMake = "ROLLCALL_GIVEN"

// An Option is one setting: a text, a list of texts or a switch.
type Option struct {
	Flag    string // such as load-nodes
	Short   string // of rollcall's flag, such as f for filename; empty: none
	Default Source
	Topic   Topic    // under which the help lists it; empty: before all topics
	Help    string   // with the name of the value in backquotes
	Values  []string // that it takes, for completion; empty: any
	Text    *string
	Texts   *[]string // one for each use of the flag
	Switch  *bool
}

// Variable returns the environment variable of the option, such as LOAD_NODES.
func (o Option) Variable() string { return strings.ReplaceAll(strings.ToUpper(o.Flag), "-", "_") }

// secretVariable returns the environment variable of an option with the source Secret.
func (o Option) secretVariable() string { return "ROLLCALL_" + o.Variable() }

// source returns the option's default from its source, and a note for the help that names the variable.
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

// Register adds a flag for each option, with the default from its source.
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
				flags.Lookup(o.Flag).DefValue = "" // else the help would print it
			}
		}
	}
}

// on reports whether the value of a switch's variable turns it on.
func on(value string) bool { return value != "" && value != "0" && value != "false" }

// values returns the values of the option; none if it is not set. A switch that is on has an empty value.
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

// Given returns the option as errors name it, such as --modes=ipvs, with its first value, or without one for a secret. It is empty if the
// option is not set.
func (o Option) Given() string {
	values := o.values()
	switch {
	case len(values) == 0:
		return ""
	case o.Switch != nil || o.Default == Secret:
		return "--" + o.Flag
	}
	return "--" + o.Flag + "=" + values[0]
}

// Args returns the arguments that set the same options for another process, without secrets and options that are not set.
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

// Secrets returns the environment variables, as KEY=value, that set the same secrets for another process.
func (l List) Secrets() []string {
	var variables []string
	for _, o := range l {
		if o.Default == Secret && *o.Text != "" {
			variables = append(variables, o.secretVariable()+"="+*o.Text)
		}
	}
	return variables
}

// WithoutSecrets returns an environment without the variables of secrets, for a process that must not get them.
func (l List) WithoutSecrets(environment []string) []string {
	return slices.DeleteFunc(slices.Clone(environment), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.ContainsFunc(l, func(o Option) bool { return o.Default == Secret && o.secretVariable() == name })
	})
}

// Only returns the options with these flags.
func (l List) Only(flags ...string) List {
	return slices.DeleteFunc(slices.Clone(l), func(o Option) bool { return !slices.Contains(flags, o.Flag) })
}
