package staging

import (
	"errors"
	"testing"
)

func TestDeadRuns(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	const server, elsewhere = "https://staging:6443", "https://elsewhere:6443"
	in := []string{"shop", "bank"}
	alive, err := AcquireRunLock(server, in, "alive")
	if err != nil {
		t.Fatal(err)
	}
	ended, err := AcquireRunLock(server, in, "ended")
	if err != nil {
		t.Fatal(err)
	}
	if err := ended.Release(); err != nil {
		t.Fatal(err)
	}
	left, err := AcquireRunLock(server, in, "left something")
	if err != nil {
		t.Fatal(err)
	}
	if err := left.Abort(); err != nil {
		t.Fatal(err)
	}
	for _, where := range []struct {
		server     string
		namespaces []string
	}{{server, []string{"bank", "shop"}}, {elsewhere, in}, {server, []string{"team"}}} {
		died, err := AcquireRunLock(where.server, where.namespaces, "died")
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
		if seen, err := deadRuns(server, in); err != nil || seen["died"] != row.want {
			t.Errorf("%s: %v before, %v", row.sentence, seen, err)
		}
		err := withDeadRuns(server, in, func(dead map[string]bool) error {
			if dead["died"] != row.want || dead["left something"] != row.want || len(dead) > 2 {
				t.Errorf("%s: %v", row.sentence, dead)
			}
			return row.fails
		})
		if !errors.Is(err, row.fails) {
			t.Errorf("%s: %v", row.sentence, err)
		}
	}
	err = withDeadRuns(elsewhere, in, func(dead map[string]bool) error {
		if !dead["died"] {
			t.Error("that of another server was taken")
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	err = withDeadRuns(server, []string{"team"}, func(dead map[string]bool) error {
		if !dead["died"] {
			t.Error("that of other namespaces was taken, which were not swept")
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
