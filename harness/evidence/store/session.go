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
	return evidence.Session{Schema: evidence.SchemaVersion, ID: id, Began: began, Version: Version(), Command: strings.Join(os.Args, " ")}
}

// Version is the commit that this program was built from; devel if it does not know.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			return setting.Value
		}
	}
	return "devel"
}
