package userapp

import "rollcall/harness/evidence"

// Elsewhere is an app that is there already, of which that much is known: any reply but an error is a good one.
func Elsewhere(path string, is evidence.UserApp) *App {
	a := &App{document: Document{Request: Request{Path: path}}, facts: is}
	for status := 200; status < 400; status++ {
		a.document.Reply.Status = append(a.document.Reply.Status, status)
	}
	return a
}
