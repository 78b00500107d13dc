package userapp

import (
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/loadgen"
)

// Elsewhere returns an app that exists already, with the facts that are known about it.
func Elsewhere(path string, asked *loadgen.UserHTTP, is evidence.UserApp) *App {
	is.Named = asked.Names()
	return &App{document: Document{Request: Request{Path: path}}, facts: is, asked: asked}
}
