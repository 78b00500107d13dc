package conformance

import (
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/runner"
	"example.com/rollcall/harness/usage"
)

// Options say which suites run, and on what.
type Options struct {
	Suites  string // separated by commas or spaces; empty: all
	Pattern string // regular expression of names of scenarios; empty: all of the profile
	Skip    string // pattern of scenarios that do not run; empty: none
	Failed  string // run folder, of which only what neither passed nor was skipped runs again; empty: none
	Verbose bool   // print all that the suites print
	Serve   string // port of this host on which the run is shown to a browser; empty: it is not, 0: one that is free
	runner.Options
}

// List has every option once, but for Verbose and Serve, which say nothing about what is recorded.
func (o *Options) List() usage.List {
	return append(usage.List{
		{Flag: "suites", Default: usage.Environment, Text: &o.Suites, Help: "`suites` to run, separated by commas or spaces (default all)"},
		{Flag: "run", Text: &o.Pattern, Help: "run only scenarios whose name matches this `pattern`, a regular expression"},
		{Flag: "skip", Text: &o.Skip, Help: "run no scenario whose name matches this `pattern`"},
		{Flag: "failed", Text: &o.Failed, Help: "run only what failed, was inconclusive or was not recorded in this run `folder`"},
	}, o.Options.List()...)
}

// prepare checks the options. It creates nothing.
func (o Options) prepare() (*runner.Runner, error) {
	if (o.Pattern != "" || o.Failed != "") && o.Profile == "" {
		o.Profile = string(harness.Full) // they may name any scenario
	}
	prepared := &runner.Runner{Options: o.Options}
	if err := prepared.CheckNamed(); err != nil {
		return nil, err
	}
	return prepared, prepared.Prepare()
}
