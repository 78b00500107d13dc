package verdict

// Grounds are what a finding rests on, and so what can take it away.
type Grounds uint8

// The grounds.
const (
	Whole  Grounds = iota // on what was seen and on nothing more having been there
	Seen                  // on something that was recorded: it holds whatever else was missed
	Unseen                // on nothing having been recorded: it holds whatever else might have caused it
)
