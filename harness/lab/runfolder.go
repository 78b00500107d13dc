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

// recoverKilled collects the recordings of a lab that was killed together with the program that started it.
func (o Options) recoverKilled(w io.Writer, work, runs string) error {
	folder, err := collect(filepath.Join(work, "shared", "out"), runs)
	if folder == "" || err != nil {
		return err
	}
	fmt.Fprintf(w, "the previous lab was killed; its recordings are in %s\n", folder)
	return errors.Join(o.markBroken(folder, errors.New("lab: it was killed")), os.RemoveAll(work))
}

// markBroken writes into a run folder's session why the run broke off, and writes the report.
func (o Options) markBroken(folder string, why error) error {
	if err := store.EditSession(folder, func(s *evidence.Session) { s.Broken = append(s.Broken, why.Error()) }); err != nil {
		return fmt.Errorf("lab: %w", err)
	}
	return o.Report(folder)
}

// collect copies the run folder that the guest left into the host's folder of runs. It returns an empty path if the guest left none.
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
