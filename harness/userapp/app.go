// Package userapp has what is known of a user's app, which exists already: how it is asked, what it may lose, and what advice needs.
package userapp

import (
	"cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/loadgen"
)

// An App is a user's app.
type App struct {
	path  string
	asked *loadgen.UserHTTP
	facts evidence.UserApp
}

// Elsewhere returns an app that exists already, with the facts that are known about it.
func Elsewhere(path string, asked *loadgen.UserHTTP, is evidence.UserApp) *App {
	is.Named = asked.Names()
	return &App{path, asked, is}
}

// Facts returns what advice can be derived from.
func (a *App) Facts() *evidence.UserApp { return &a.facts }

// HTTP returns how requests are sent and replies judged.
func (a *App) HTTP() *loadgen.UserHTTP { return a.asked }

// Path returns the path of requests.
func (a *App) Path() string { return cmp.Or(a.path, "/") }
