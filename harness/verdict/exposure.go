package verdict

// An Exposure is what a rule was put to, such as 4575 requests or 6 pairs of pod and node: a rule that was put to nothing shows
// nothing. What was there before the rollout began counts only for rules that are not about the rollout: no change, no test.
type Exposure struct {
	Count int    `json:"count"`
	Unit  string `json:"unit"` // in the singular, such as "request"
}
