package conformance

import (
	"flag"
	"os"

	"rollcall/harness"
	"rollcall/harness/runner"
)

// Options say which suites run, and on what.
type Options struct {
	runner.Options
	Suites  string // separated by commas or spaces; empty: all
	Pattern string // of scenarios, as go test -run has it; empty: all of the profile
	Verbose bool   // print all that the suites print
}

// Register makes flags of the options.
func (o *Options) Register(flags *flag.FlagSet) {
	o.Options.Register(flags)
	flags.StringVar(&o.Suites, "suites", os.Getenv("SUITES"), "`suites` to run, separated by commas or spaces (default all)")
	flags.StringVar(&o.Pattern, "run", "", "run only scenarios whose name matches this `pattern` of go test -run")
}

// prepare checks the options. It creates nothing.
func (o Options) prepare() (*runner.Runner, error) {
	if o.Pattern != "" && o.Profile == "" {
		o.Profile = string(harness.Full) // the pattern may name any scenario
	}
	prepared := &runner.Runner{Options: o.Options}
	if err := prepared.CheckNamed(); err != nil {
		return nil, err
	}
	return prepared, prepared.Prepare()
}
