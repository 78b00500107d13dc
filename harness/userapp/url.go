package userapp

import (
	"net/url"
	"slices"
	"strings"

	"example.com/rollcall/harness/secret"
	"example.com/rollcall/harness/usage"
)

// CheckURL returns an error for the value of a flag that a client cannot request as a URL, or that has what may be a secret: URLs are in
// the report. instead says how else a secret can be sent.
func CheckURL(flag, text, example, instead string) error {
	at, err := url.Parse(text)
	if err != nil || !slices.Contains([]string{"http", "https"}, at.Scheme) || at.Host == "" || at.Fragment != "" {
		if end := strings.LastIndex(text, "@"); end >= 0 { // of what is not a URL, what is before it may be a user and a password
			text = secret.Withheld + text[end:]
		}
		return usage.New(flag+"="+secret.Query(text), "it is not an http or https URL", "write it like "+example)
	}
	if at.User != nil {
		return usage.New(flag, "the user or password in it would stand in the report", instead)
	}
	return CheckPath(flag, text, instead)
}

// CheckPath returns an error for a URL or its path with the value of a parameter that may be secret.
func CheckPath(flag, text, instead string) error {
	if kept := secret.Query(text); kept != text {
		return usage.New(flag+"="+kept, "the value of the parameter would stand in the report", instead)
	}
	return nil
}
