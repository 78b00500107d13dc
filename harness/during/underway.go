package during

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/run"
	"example.com/rollcall/harness/sharedfile"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/verdict/phrase"
)

// lockName is the file beside run folders that a recorder locks while it lives.
const lockName = "during.lock"

// newFolder makes a run folder, if checkFree allows it.
func newFolder(verb, root string) (string, error) {
	if err := checkFree(verb, root); err != nil {
		return "", err
	}
	folder, err := run.NewFolder(root, "-"+suite)
	if err != nil {
		return "", err
	}
	if folder, err = filepath.Abs(folder); err != nil { // the command may change its folder
		return "", err
	}
	return filepath.EvalSymlinks(folder)
}

// checkFree returns an error if another recording is under way, or if a recorder was killed and its recording has not been judged.
func checkFree(verb, root string) error {
	held, err := sharedfile.TryLock(filepath.Join(root, lockName))
	folder, unknown := current(root)
	switch {
	case errors.Is(err, sharedfile.ErrHeld):
		return underWay(verb, folder)
	case err != nil:
		return usage.New("run folders "+root, err.Error(), "make them writable")
	}
	if err := errors.Join(held.Release(), unknown); err != nil {
		return err
	}
	if folder != "" && !ended(folder) {
		return usage.New("rollcall "+verb, "the recorder of "+folder+" was killed", "have what it recorded judged first: rollcall during end")
	}
	return nil
}

// underWay returns the error about another recording, in a run folder.
func underWay(verb, folder string) error {
	var session evidence.Session
	_ = store.ReadJSON(evidence.SessionPath(folder), &session) // it has none in its first moments
	remedy := "wait for its end, or end it with Ctrl-C where it runs"
	if strings.HasPrefix(session.Command, "rollcall "+beginVerb) {
		remedy = "end it first: rollcall during end"
	}
	return usage.New("rollcall "+verb, fmt.Sprintf("%s is recording, in %s",
		phrase.Cut(cmp.Or(session.Command, "another command"), 80), folder), remedy)
}

// ended reports whether the session of a run folder has ended.
func ended(folder string) bool {
	var session evidence.Session
	return store.ReadJSON(evidence.SessionPath(folder), &session) == nil && !session.Ended.IsZero()
}
