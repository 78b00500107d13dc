package runner

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"rollcall/harness"
	"rollcall/harness/evidence"
	"rollcall/harness/evidence/store"
)

// Of the processes of one run folder the first begins the session, the others join it, and the first one's end is the run's.
func TestSession(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	folder := filepath.Join(t.TempDir(), "run")
	process := func(rate int) *Runner {
		r := &Runner{Options: Options{Out: folder}, profile: harness.Core, rate: rate, jobs: 2, modes: []string{"iptables"}}
		if err := r.openSession("rollout"); err != nil {
			t.Fatal(err)
		}
		return r
	}
	first, second := process(100), process(50)
	if !first.began || second.began {
		t.Errorf("the first began the session: %v, the second: %v", first.began, second.began)
	}
	if second.session.ID == "" || second.session.ID != first.session.ID || second.session.Rate != 100 {
		t.Errorf("the second joined %+v and not %+v", second.session, first.session)
	}
	if err := second.closeSession([]string{"a pod is left"}); err != nil {
		t.Fatal(err)
	}
	if s := readSession(t, folder); !s.Ended.IsZero() || !slices.Equal(s.Broken, []string{"a pod is left"}) {
		t.Errorf("the run ended with a process that joined it: %+v", s)
	}
	if err := first.closeSession(nil); err != nil {
		t.Fatal(err)
	}
	if s := readSession(t, folder); s.Ended.IsZero() || len(s.Broken) != 1 || s.Profile != "core" || s.Jobs != 1 || s.MostJobs != 2 {
		t.Errorf("the session at the end: %+v", s)
	}
}

func readSession(t *testing.T, folder string) (s evidence.Session) {
	t.Helper()
	if err := store.ReadJSON(evidence.SessionPath(folder), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// What several processes change at once is all there afterwards.
func TestEditSession(t *testing.T) {
	folder, _ := sessionOf(t, 1, 1)
	const editors = 8
	var all sync.WaitGroup
	failed := make([]error, editors)
	for i := range editors {
		all.Go(func() {
			_, failed[i] = EditSession(folder, func(s *evidence.Session) { s.Broken = append(s.Broken, fmt.Sprint(i)) })
		})
	}
	all.Wait()
	if err := errors.Join(failed...); err != nil {
		t.Fatal(err)
	}
	if s := readSession(t, folder); len(s.Broken) != editors {
		t.Errorf("of %d changes there are %q", editors, s.Broken)
	}
}
