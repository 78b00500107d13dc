package verdict

// Grounds say what a finding rests on, and so which reasons for distrust make it unknown.
type Grounds uint8

// The grounds.
const (
	Whole  Grounds = iota // on what was recorded, and on nothing else having happened
	Seen                  // on something that was recorded: it holds even if more was missed
	Unseen                // on nothing having been recorded: it holds even if what was recorded is doubtful
)
