package evidence

// A Limit is something that a recording did not look at, so that its verdict says nothing about it.
type Limit struct {
	ID   string `json:"id"`   // kebab-case, permanent: headlines name it
	Text string `json:"text"` // one sentence: what was not looked at
}

// IDs of limits, each with a section in CODES.md.
const (
	CommandFailed = "command-failed" // the user's command, so that the rest of what it does was not seen
)

// Limits lists the ids of all limits.
func Limits() []string { return []string{CommandFailed} }
