package store

import (
	"os"
	"rollcall/harness/evidence"
	"runtime/debug"
	"strings"
	"time"
)

// NewSession is a session that begins now, by the command line and build of this process.
func NewSession(id string, began time.Time) evidence.Session {
	s := evidence.Session{Schema: evidence.SchemaVersion, ID: id, Began: began, Version: "devel", Command: strings.Join(os.Args, " ")}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range info.Settings {
			if setting.Key == "vcs.revision" {
				s.Version = setting.Value
			}
		}
	}
	return s
}
