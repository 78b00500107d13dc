package staging

import (
	"testing"
)

func TestStaleRuns(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	const server = "https://staging:6443"
	alive, err := AcquireRunLock(server, "alive")
	if err != nil {
		t.Fatal(err)
	}
	ended, err := AcquireRunLock(server, "ended")
	if err != nil {
		t.Fatal(err)
	}
	if err := ended.Release(); err != nil {
		t.Fatal(err)
	}
	left, err := AcquireRunLock(server, "left something")
	if err != nil {
		t.Fatal(err)
	}
	if err := left.Abort(); err != nil {
		t.Fatal(err)
	}
	for _, where := range []string{server, "https://elsewhere:6443"} {
		died, err := AcquireRunLock(where, "died")
		if err != nil {
			t.Fatal(err)
		}
		died.File().Close() // as the kernel does when a process dies
	}
	for _, row := range []struct {
		sentence string
		want     bool
	}{{"it is found", true}, {"it is found once", false}} {
		dead, err := StaleRuns(server)
		if err != nil || dead["died"] != row.want || dead["left something"] != row.want || len(dead) > 2 {
			t.Errorf("%s: %v, %v", row.sentence, dead, err)
		}
	}
	if dead, err := StaleRuns("https://elsewhere:6443"); err != nil || !dead["died"] {
		t.Errorf("that of another server was taken: %v, %v", dead, err)
	}
	if err := alive.Release(); err != nil {
		t.Fatal(err)
	}
}
