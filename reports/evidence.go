package reports

import (
	"maps"
	"path"
	"path/filepath"
	"slices"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/verdict/kept"
	"example.com/rollcall/reports/model"
)

// LoadEvidence reads the recording in a folder, wherever that is. It calls show as [timeline.JoinShowing] does, and keeps the hits that
// are asked for whole. The error, one line, says that the folder has no recording that this build can read.
func LoadEvidence(folder string, show func(evidence.Hit, error), asked ...timeline.HitID) (model.Scenario, kept.Recording, error) {
	rec, err := kept.Read(folder, func(evidence.Run) func(evidence.Hit, error) { return show }, asked...)
	if err != nil {
		return model.Scenario{}, rec, err
	}
	s := model.Scenario{ID: rec.Run.Scenario, Suite: rec.Run.Suite, Mode: rec.Run.Mode, Attempts: rec.Run.Attempt, Evidence: folder}
	fill(&s, rec)
	listFiles(&s, folder)
	return s, rec, nil
}

// EvidenceFolder returns the folder of the last attempt at a scenario of the run folder dir. Its name is MODE/SUITE/ID.
func EvidenceFolder(dir, name string) (string, error) {
	recorded := recordedIn(dir)
	folder, ok := recorded[name]
	if !ok {
		names := slices.Sorted(maps.Keys(recorded))
		return "", usage.New(name, "run "+dir+" did not record it", "name one as MODE/SUITE/ID, or give the folder of a recording"+
			usage.Meant(name, names...))
	}
	return folder, nil
}

// Recorded lists the scenarios that the run folder dir has recordings of, as MODE/SUITE/ID.
func Recorded(dir string) []string { return slices.Sorted(maps.Keys(recordedIn(dir))) }

// recordedIn maps scenarios, as MODE/SUITE/ID, to the folders of their last attempts.
func recordedIn(dir string) map[string]string {
	found := map[string]string{}
	modes, _ := folders(evidence.Folder(dir))
	for _, mode := range modes {
		suites, _ := folders(filepath.Join(evidence.Folder(dir), mode))
		for _, suite := range suites {
			attempts, _ := folders(filepath.Join(evidence.Folder(dir), mode, suite))
			for scenario, attempt := range lastAttempts(attempts) {
				found[path.Join(mode, suite, scenario)] = evidence.ScenarioFolder(dir, mode, suite, scenario, attempt)
			}
		}
	}
	return found
}
