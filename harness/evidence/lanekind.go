package evidence

// A LaneKind is what distinguishes the lanes of one node. Vantage, Conn, Resends and Named are recorded with each lane,
// so that a recording tells the kind; what the lane's requests count for follows from them.
type LaneKind struct {
	Name     string // ends the ids of its lanes
	Vantage  Vantage
	Conn     Conn
	Resends  bool
	Named    bool // resolves the Service's name for every connection
	Protocol Protocol
	Optional bool // only in scenarios that name it in their Load
	Steps    bool // of steps, and of no load
}

// Plain is the optional kind that does as most clients do: it sends again what a dead connection lost.
const Plain = "plain"

// Named is the optional kind that resolves the Service's name for every connection. Others know its address.
const Named = "named"

// Kept is the optional kind that asks from outside over connections that are kept. Those of pods are not optional.
const Kept = "reused"

// LaneKinds lists every kind, in the order in which a node's lanes are recorded. A further kind is one more row, and an
// exchanger in package loadgen where it speaks a protocol that none of those there does.
func LaneKinds() []LaneKind {
	return []LaneKind{
		{Name: "fresh", Vantage: FromPod, Conn: Fresh},
		{Name: "reused", Vantage: FromPod, Conn: Reused},
		{Name: "control", Vantage: FromControl, Conn: Fresh},
		{Name: Plain, Vantage: FromPod, Conn: Reused, Resends: true, Optional: true},
		{Name: Named, Vantage: FromPod, Conn: Fresh, Named: true, Optional: true},
		{Name: "fresh", Vantage: FromHost, Conn: Fresh},
		{Name: Kept, Vantage: FromHost, Conn: Reused, Optional: true},
	}
}

// Lane is the kind's lane in a place, such as "worker" or "outside".
func (k LaneKind) Lane(place string) Lane {
	return Lane{ID: place + "-" + k.Name, Vantage: k.Vantage, Conn: k.Conn, Resends: k.Resends, Named: k.Named, Protocol: k.Protocol}
}

// Method is that of its HTTP requests. Over keep-alive connections it is POST: a GET whose connection died may be sent
// again, silently, by any client, as net/http does. A kind that resends wants that.
func (k LaneKind) Method() string {
	if k.KeepsAlive() && !k.Resends {
		return "POST"
	}
	return "GET"
}

// KeepsAlive says that a connection carries several requests, which one pod answers.
func (k LaneKind) KeepsAlive() bool { return k.Conn == Reused }

// IsControl says that the lane asks a pod that is not rolled out: what fails there makes the recording doubtful.
func (k LaneKind) IsControl() bool { return k.Vantage == FromControl }

// AsksApp says that the lane loads the app through the Service: its failures and replies are the app's.
func (k LaneKind) AsksApp() bool { return !k.IsControl() && !k.Steps }

// ShowsRetries says that a request which was sent twice is a retry by something else than the client.
func (k LaneKind) ShowsRetries() bool { return k.AsksApp() && !k.Resends }

// ShowsDamage says that an app that drops requests must show on the lane.
func (k LaneKind) ShowsDamage() bool { return k.Vantage == FromPod && !k.Resends }

// FollowsRules says that each request goes where the rules of the lane's node route at that instant.
func (k LaneKind) FollowsRules() bool { return k.Vantage == FromPod && k.Conn == Fresh }

func (k LaneKind) same(other LaneKind) bool {
	k.Name, k.Optional = other.Name, other.Optional // which lanes do not have
	return k == other
}
