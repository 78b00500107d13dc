// Package userapp has what is known of a user's app, which exists already: how it gets requests, what it
// may lose, and what advice needs.
package userapp

import (
	"cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/loadgen"
)

// An App is a user's app.
type App struct {
	path  string
	http  *loadgen.UserHTTP
	facts evidence.UserApp
}

// Existing returns an app that exists already, with the facts that are known about it.
func Existing(path string, http *loadgen.UserHTTP, is evidence.UserApp) *App {
	is.Named = http.Names()
	return &App{path, http, is}
}

// Facts returns what advice can be derived from.
func (a *App) Facts() *evidence.UserApp { return &a.facts }

// HTTP returns how requests are sent and replies judged.
func (a *App) HTTP() *loadgen.UserHTTP { return a.http }

// Path returns the path of requests.
func (a *App) Path() string { return cmp.Or(a.path, "/") }
