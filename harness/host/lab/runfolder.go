package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
)

// recoverKilled collects the recordings of a lab that was killed together with the program that started it.
func (p programs) recoverKilled(ctx context.Context, w io.Writer, work, runs string) error {
	folder, err := collect(work, runs)
	if folder == "" || err != nil {
		return err
	}
	fmt.Fprintf(w, "the previous lab was killed; its recordings are in %s\n", folder)
	return p.markBroken(ctx, folder, errors.New("lab: it was killed"))
}

// markBroken writes into a run folder's session why the run broke off, and writes the report.
func (p programs) markBroken(ctx context.Context, folder string, why error) error {
	if err := store.EditSession(folder, func(s *evidence.Session) { s.Broken = append(s.Broken, why.Error()) }); err != nil {
		return fmt.Errorf("lab: %w", err)
	}
	return p.report(ctx, folder)
}

// collect copies the run folder that the guest left in work into the host's folder of runs, and removes work. It returns an empty path if
// the guest left none. If it cannot copy, all that was recorded stays for the next run to collect.
func collect(work, to string) (folder string, err error) {
	left, err := filepath.Glob(filepath.Join(work, "shared", "out", "*", "evidence"))
	if err != nil || len(left) == 0 {
		return "", errors.Join(err, os.RemoveAll(work))
	}
	source := filepath.Dir(left[0])
	folder = filepath.Join(to, filepath.Base(source))
	if err := os.MkdirAll(to, 0o755); err != nil {
		return "", err
	}
	if _, err := os.Stat(folder); err == nil {
		folder += "-ipvs"
	}
	if err := os.CopyFS(folder, os.DirFS(source)); err != nil {
		return "", errors.Join(err, os.RemoveAll(folder))
	}
	return folder, os.RemoveAll(work)
}
