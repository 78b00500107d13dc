package evidence_test

import (
	"fmt"

	"example.com/rollcall/harness/evidence"
)

func ExampleLaneKind() {
	// The row to add to LaneKinds.
	keepAlive := evidence.LaneKind{Name: "reused", Vantage: evidence.FromHost, Conn: evidence.Reused, Optional: true}

	lane := keepAlive.Lane("outside")
	fmt.Println(lane.ID, "sends", keepAlive.Method(), "over", lane.Conn, "connections from the", lane.Vantage)
	fmt.Println("its failures are the app's:", keepAlive.RequestsApp())
	fmt.Println("a negative control must show on it:", keepAlive.ShowsDamage())
	// Output:
	// outside-reused sends POST over reused connections from the host
	// its failures are the app's: true
	// a negative control must show on it: false
}
