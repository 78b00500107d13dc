package evidence

// KindsOf returns the kinds of the lanes that ask a user's app by a protocol: of a client in a pod, and of one outside, which does as that.
// Without any, this build has no client that speaks the protocol.
func KindsOf(p Protocol) []LaneKind {
	for _, kind := range LaneKinds() {
		if kind.Protocol == p && kind.Vantage == FromPod {
			outside := kind
			outside.Vantage = FromHost
			return []LaneKind{kind, outside}
		}
	}
	return nil
}
