package lab

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
)

// recoverKilled collects what a lab that was killed together with this program had recorded.
func (o Options) recoverKilled(w io.Writer, work, runs string) error {
	folder, err := collect(filepath.Join(work, "shared", "out"), runs)
	if folder == "" || err != nil {
		return err
	}
	fmt.Fprintf(w, "the previous lab was killed; its recordings are in %s\n", folder)
	return errors.Join(o.markBroken(folder, errors.New("lab: it was killed")), os.RemoveAll(work))
}

// markBroken has the report of a run folder say why the run broke off.
func (o Options) markBroken(folder string, why error) error {
	if err := store.EditSession(folder, func(s *evidence.Session) { s.Broken = append(s.Broken, why.Error()) }); err != nil {
		return fmt.Errorf("lab: %w", err)
	}
	return o.Report(folder)
}

// collect copies the one run folder that the guest left to where run folders are; empty if it left none.
func collect(from, to string) (folder string, err error) {
	left, err := filepath.Glob(filepath.Join(from, "*", "evidence"))
	if err != nil || len(left) == 0 {
		return "", err
	}
	source := filepath.Dir(left[0])
	folder = filepath.Join(to, filepath.Base(source))
	if err := os.MkdirAll(to, 0o755); err != nil {
		return "", err
	}
	if _, err := os.Stat(folder); err == nil {
		folder += "-ipvs"
	}
	return folder, os.CopyFS(folder, os.DirFS(source))
}
