package conformance

import (
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/runner"
	"example.com/rollcall/harness/usage"
)

// Options say which suites run, and where.
type Options struct {
	Suites  string // separated by commas or spaces; empty: all
	Pattern string // regular expression for names of scenarios; empty: all of the profile
	Skip    string // regular expression for names of scenarios that do not run; empty: none
	Failed  string // run folder: run only scenarios that neither passed nor were skipped there; empty: none
	Verbose bool   // print everything
	Serve   string // port of this host for a live page of the run; empty: none, 0: any free one
	runner.Options
}

// List returns the flags of all options but Verbose and Serve, which do not change what is recorded.
func (o *Options) List() usage.List {
	return append(usage.List{
		{Flag: "suites", Topic: usage.Scenarios, Default: usage.Environment, Text: &o.Suites,
			Help: "`suites` to run, separated by commas or spaces (default all)"},
		{Flag: "run", Topic: usage.Scenarios, Text: &o.Pattern,
			Help: "run only scenarios whose name matches this `pattern`, a regular expression"},
		{Flag: "skip", Topic: usage.Scenarios, Text: &o.Skip, Help: "run no scenario whose name matches this `pattern`"},
		{Flag: "failed", Topic: usage.Scenarios, Text: &o.Failed,
			Help: "run only what failed, was inconclusive or was not recorded in this run `folder`"},
	}, o.Options.List()...)
}

// prepare checks the options. It creates nothing.
func (o Options) prepare() (*runner.Runner, error) {
	if (o.Pattern != "" || o.Failed != "") && o.Profile == "" {
		o.Profile = string(harness.Full) // both may name any scenario
	}
	prepared := &runner.Runner{Options: o.Options}
	if err := prepared.CheckNamed(); err != nil {
		return nil, err
	}
	return prepared, prepared.Prepare()
}
