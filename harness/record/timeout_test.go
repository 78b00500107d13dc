package record

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/userapp"
	"example.com/rollcall/loadgen"
)

func TestTimeoutFor(t *testing.T) {
	for _, row := range []struct {
		sentence    string
		first, want time.Duration
	}{
		{"an app that answers at once", time.Millisecond, 2 * time.Second},
		{"one that takes longer gets ten times as long", 345 * time.Millisecond, 3500 * time.Millisecond},
		{"as does one of 2.1 s", 2100 * time.Millisecond, 21 * time.Second},
		{"clients of 3 s wait for 30 s", 3 * time.Second, 30 * time.Second},
		{"and no longer", 20 * time.Second, 30 * time.Second},
	} {
		if got := timeoutFor(row.first); got != row.want {
			t.Errorf("%s: %v, want %v", row.sentence, got, row.want)
		}
	}
}

// What the first replies of a user's app take says how long clients wait, unless the user did.
func TestTimeoutOfAUsersApp(t *testing.T) {
	app := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer app.Close()
	asked := userapp.Existing("/", &loadgen.UserHTTP{}, evidence.UserApp{}).HTTP()
	for _, row := range []struct {
		sentence    string
		given, want time.Duration
	}{
		{"nobody says", 0, 2 * time.Second},
		{"the user says", 7 * time.Second, 7 * time.Second},
	} {
		cl := &clients{userHTTP: asked, timeout: row.given, agents: []*agent{{name: "outside", lanes: []evidence.Lane{
			{ID: "outside-fresh", Vantage: evidence.FromHost, Conn: evidence.Fresh, Target: app.URL}}}}}
		err := cl.awaitReplies(t.Context(), &harness.Existing{}, func(string) bool { return false })
		if chosen := cl.firstReply > 0; err != nil || cl.timeout != row.want || chosen != (row.given == 0) {
			t.Errorf("%s: %v by a first reply in %v: %v", row.sentence, cl.timeout, cl.firstReply, err)
		}
	}
}
