package timeline

// Ends sum up terminations, and those that may have lost a request. How much they show of all that there could be depends on how many of
// them are independent. Where the rules of all nodes were read, it was seen that each node follows the end of a pod by itself; elsewhere a
// pod counts once.
type Ends struct {
	Pods, PodsLost   int
	Pairs, PairsLost int // of a pod and a node: terminations
	ByNode           bool
}

// Ends sums up [Timeline.Terminations].
func (t Timeline) Ends() Ends {
	all, lost := t.Terminations(), map[string]bool{} // by pod
	e := Ends{Pairs: len(all), ByNode: true}
	for _, x := range all {
		lost[x.Pod] = lost[x.Pod] || x.Lost > 0
		e.PairsLost += min(1, x.Lost)
		e.ByNode = e.ByNode && t.node(x.Node).observed
	}
	e.Pods = len(lost)
	for _, l := range lost {
		if l {
			e.PodsLost++
		}
	}
	return e
}

// Samples returns how many independent terminations there were, and how many of them may have lost a request.
func (e Ends) Samples() (n, lost int) {
	if e.ByNode {
		return e.Pairs, e.PairsLost
	}
	return e.Pods, e.PodsLost
}
