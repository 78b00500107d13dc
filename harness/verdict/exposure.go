package verdict

// An Exposure counts what a rule was tested on, such as 4575 requests or 6 pairs of pod and node: a rule that was tested on nothing shows
// nothing. What came before the rollout began counts only for rules that are not about the rollout: no change, no test.
type Exposure struct {
	Count int    `json:"count"`
	Unit  string `json:"unit"` // in the singular, such as "request"
}
