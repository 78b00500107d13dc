package kept

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/verdict"
)

// A record is the content of verdict.json.
type record struct {
	Build   string          `json:"build"` // that judged
	Files   []File          `json:"files"` // that were judged
	Verdict verdict.Verdict `json:"verdict"`
	SHA256  string          `json:"sha256"` // of Verdict as JSON without white space
}

// A File is a file of the evidence. The checksum of run.json is that of the run as JSON without white space and with the length 0, to which
// the clean-up adds after the verdict.
type File struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// Keep writes the verdict beside the evidence. That of a skipped or damaged recording is not kept: it is judged each time.
func (r Recording) Keep() error {
	if r.taken || !r.whole || r.Run.Skipped != "" {
		return nil
	}
	return store.WriteJSON(filepath.Join(r.folder, evidence.VerdictFile), record{build(), r.Files, r.Verdict, sumOf(r.Verdict)})
}

// kept returns the verdict that is kept beside the evidence or, if that does not fit, why.
func (r *Recording) kept() (v verdict.Verdict, misfit string) {
	var of record
	err := store.ReadJSON(filepath.Join(r.folder, evidence.VerdictFile), &of)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case of.Build != "" && of.Build != build(): // whether or not this one can read it
		misfit = "another build"
	case err != nil || of.SHA256 != sumOf(of.Verdict):
		misfit = "damaged " + evidence.VerdictFile
	case !r.whole:
		misfit = "damaged evidence"
	case !slices.Equal(of.Files, r.Files):
		misfit = "other evidence"
	default:
		r.taken = true
		return of.Verdict, ""
	}
	return v, misfit
}

// FilesOf returns run.json, and the files that it says it is recorded in.
func FilesOf(run evidence.Run) []File {
	run.Length = 0
	files := []File{{evidence.RunFile, sumOf(run)}}
	for _, f := range run.Files {
		files = append(files, File{f.Name, f.SHA256})
	}
	return files
}

func sumOf(v any) string {
	text, _ := json.Marshal(v) // it came from JSON, or becomes JSON
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
