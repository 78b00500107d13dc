package staging

import (
	"errors"
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
	offline := errors.New("the API server does not answer")
	for _, row := range []struct {
		sentence string
		fails    error // what is done with those that are found
		want     bool
	}{
		{"it is found", offline, true},
		{"again, as it was not cleaned up", nil, true},
		{"not after that", nil, false},
	} {
		err := withStaleRuns(server, func(dead map[string]bool) error {
			if dead["died"] != row.want || dead["left something"] != row.want || len(dead) > 2 {
				t.Errorf("%s: %v", row.sentence, dead)
			}
			return row.fails
		})
		if !errors.Is(err, row.fails) {
			t.Errorf("%s: %v", row.sentence, err)
		}
	}
	err = withStaleRuns("https://elsewhere:6443", func(dead map[string]bool) error {
		if !dead["died"] {
			t.Error("that of another server was taken")
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if err := alive.Release(); err != nil {
		t.Fatal(err)
	}
}
