package userapp

import "rollcall/harness/evidence"

// Elsewhere is an app of which nothing is known but what is asked for: any reply but an error is a good one.
func Elsewhere(path string) *App {
	a := &App{document: Document{Request: Request{Path: path}}, facts: evidence.UserApp{}}
	for status := 200; status < 400; status++ {
		a.document.Reply.Status = append(a.document.Reply.Status, status)
	}
	return a
}
