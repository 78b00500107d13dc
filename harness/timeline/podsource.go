package timeline

import "example.com/rollcall/harness/evidence"

// A PodSource is how the pod that a request was sent to is known.
type PodSource uint8

// The sources, the surest first.
const (
	NoSource      PodSource = iota // it is not known
	ByReply                        // the reply names it
	ByLog                          // the pod logged the request
	ByConntrack                    // the connection tracking of the client's node has where the connection was routed
	ByConnection                   // it had answered before on the same keep-alive connection
	ByElimination                  // of the pods that were being deleted it is the only one that can have failed the request
)

func (s PodSource) String() string {
	return [...]string{"not known", "by its reply", "by the pod's log", "by the connection tracking of the client's node",
		"by an earlier reply on the connection", "as the only deleted pod that can have got it"}[min(s, ByElimination)]
}

// reached returns the pod that a hit was sent to, by its reply, the pods' logs, its routing or its keep-alive connection; zero if unknown.
func reached(h Hit) evidence.Server {
	by, _ := reachedAccordingTo(h)
	return by
}

func reachedAccordingTo(h Hit) (evidence.Server, PodSource) {
	switch {
	case replied(&h.Hit):
		return h.By, ByReply
	case len(h.Arrivals) > 0:
		return h.Arrivals[len(h.Arrivals)-1].By, ByLog
	case h.Routed.Pod != "":
		return h.Routed.Server, ByConntrack
	case h.Kept.Pod != "":
		return h.Kept, ByConnection
	default:
		return evidence.Server{}, NoSource
	}
}
