package userapp

import (
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/loadgen"
)

// Elsewhere is an app that is there already, of which that much is known.
func Elsewhere(path string, asked *loadgen.UserHTTP, is evidence.UserApp) *App {
	is.Named = asked.Names()
	return &App{document: Document{Request: Request{Path: path}}, facts: is, asked: asked}
}
