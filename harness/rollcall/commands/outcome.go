package commands

// outcomes are those of a scenario, with what each means, what follows, and what to do.
var outcomes = []struct{ Name, Means, Do string }{
	{"pass", "every rule of the scenario held, and enough was seen to tell. Of a negative control: its clients lost requests, as they have to",
		"nothing. With passes alone, or with scenarios that were skipped, the run ends with exit code 0."},
	{"fail", "a rule was broken, and neither the host nor the recording is to blame. The run ends with exit code 1",
		"rollcall explain the code in its line; index.html of the run folder shows the requests and the pods' lives."},
	{"inconclusive",
		"it cannot be told whether the rules hold: the recording cannot be trusted, or shows too little. It is neither a pass nor " +
			"a fail, and without a fail the run ends with exit code 3",
		"rollcall explain the code in its line, and rollcall run --failed=out/latest. When the host was too slow: lower --jobs or --rate, " +
			"or give it more processors."},
	{"skipped",
		"the scenario was not recorded: the host or the cluster lacks what it needs, which its line names. If everything in a mode that " +
			"--modes names was skipped, the run ends with exit code 3",
		"rollcall run --dry-run says beforehand what would be skipped, and why."},
}

func explainOutcome(name string) []explanation {
	for _, o := range outcomes {
		if o.Name == name {
			return []explanation{{Kind: anOutcome, Name: name, Says: o.Means, Do: o.Do}}
		}
	}
	return nil
}
