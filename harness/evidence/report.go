package evidence

// A Report is what an Event of the API says, as far as this build can read its message.
type Report struct {
	Kind  ReportKind
	Size  int  // that a Rescales gives
	Lacks Lack // of a pod that is not scheduled, attached or created
}

// A ReportKind is what a component reports. Package harness/observe/message has the messages.
type ReportKind string

// A Lack is what a pod waits for.
type Lack string
