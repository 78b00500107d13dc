package store

import (
	"runtime/debug"
	"time"

	"example.com/rollcall/harness/evidence"
)

// NewSession returns a session that begins at a time, with the build of this process.
func NewSession(id string, began time.Time) evidence.Session {
	return evidence.Session{Schema: evidence.SchemaVersion, ID: id, Began: began, Version: Version()}
}

// EditSession changes the session of a run folder in which no process works.
func EditSession(folder string, edit func(*evidence.Session)) error {
	var s evidence.Session
	file := evidence.SessionPath(folder)
	if err := ReadJSON(file, &s); err != nil {
		return err
	}
	edit(&s)
	return WriteJSON(file, s)
}

// Version returns the commit that this program was built from, or the module's version if it was not built from a checkout, or
// "devel" if neither is known.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	return versionOf(info)
}

func versionOf(info *debug.BuildInfo) string {
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			return setting.Value
		}
	}
	if info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}
