// Package secret finds what may be a user's secret by the name that it has, and withholds it from all that Rollcall keeps or prints: URLs,
// recorded command lines, diagnostics and advice. It rather withholds too much: what it lets through is in reports that CI jobs upload.
package secret

import (
	"regexp"
	"strings"
)

// Withheld replaces a secret.
const Withheld = "(withheld)"

const (
	word = `(?:token|key|secret|auth|pass|pwd|cookie|credential|signature)`
	name = `[\w.\-\[\]]*` + word + `[\w.\-\[\]]*`
	// A value ends where a word of a shell does, or a parameter of a URL.
	value = `(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"&;|\\])+`
)

var named = regexp.MustCompile(`(?i)` + word)

// Named reports whether a header, flag, variable, annotation or parameter with this name may have a secret as its value.
func Named(name string) bool { return named.MatchString(name) }

var (
	address = regexp.MustCompile(`\w[\w+.\-]*://[^\s'"]+`)
	owner   = regexp.MustCompile(`^([^/?#]*://)[^/?#]*@`)
	asked   = regexp.MustCompile(`(?i)([?&;#]` + name + `=)[^&;#]*`)
)

// URLs returns a text without what its URLs have before the host's @, and without the values of parameters whose names say that they are
// secret.
func URLs(text string) string {
	if !strings.Contains(text, "://") { // which is sooner known of a log
		return text
	}
	return address.ReplaceAllStringFunc(text, func(at string) string {
		return Query(owner.ReplaceAllString(at, "${1}"+Withheld+"@"))
	})
}

// Query returns a URL or its path without the values of parameters whose names say that they are secret.
func Query(at string) string { return asked.ReplaceAllString(at, "${1}"+Withheld) }

// rules find the secrets of a script, each between what stays before and after it.
var rules = []struct{ find, leave *regexp.Regexp }{
	{find: regexp.MustCompile(`(?i)(\b(?:bearer|basic)\s+)[\w.~+/=\-]+`)},
	{find: regexp.MustCompile(`(?i)(` + name + `["']?\s*=\s*)` + value)},
	{find: regexp.MustCompile(`(?i)(` + name + `(?:["']\s*:\s*|:\s+))(?:'[^']*'|"(?:\\.|[^"\\])*"|[^'"]+)`)},
	{find: regexp.MustCompile(`(?i)((?:-H|--header)[\s=]*["']?` + name + `:)[^'"\s][^'"]*`)},
	{find: regexp.MustCompile(`(?i)((?:^|\s)--?` + name + `\s+)` + value), leave: regexp.MustCompile(`\s-\S*$`)},
	{find: regexp.MustCompile(`((?:^|\s)(?:-u|--user)[\s=]+)[^\s:]+:` + value)},
	{find: regexp.MustCompile(`((?:^|\s)--from-literal[\s=]+)` + value)},
}

// Script returns the text of a command line without the values of flags, variables, headers and fields whose names say that they are
// secret.
func Script(text string) string {
	text = URLs(text)
	for _, rule := range rules {
		text = rule.find.ReplaceAllStringFunc(text, func(found string) string {
			if rule.leave != nil && rule.leave.MatchString(found) {
				return found // another flag follows, in place of a value
			}
			return rule.find.ReplaceAllString(found, "${1}"+Withheld)
		})
	}
	return text
}

var (
	assigned = regexp.MustCompile(`(?is)^(-*[\w.\-\[\]]+(?:=|:\s*))(.+)$`)
	flag     = regexp.MustCompile(`^--?[\w.\-]+$`)
)

// Args returns the words of a command without secrets, as Script does. Of a word it withholds the whole value.
func Args(words []string) []string {
	kept := make([]string, len(words))
	for i, word := range words {
		kept[i] = Script(word)
		if parts := assigned.FindStringSubmatch(word); parts != nil && Named(parts[1]) && !image.MatchString(word) {
			kept[i] = parts[1] + Withheld
		}
		if i == 0 || strings.HasPrefix(word, "-") {
			continue
		}
		switch before := words[i-1]; {
		case flag.MatchString(before) && Named(before), before == "--from-literal",
			(before == "-u" || before == "--user") && strings.Contains(word, ":"):
			kept[i] = Withheld
		}
	}
	return kept
}

// image matches a reference such as auth:v2, which is not a header.
var image = regexp.MustCompile(`^[\w.\-]+:[\w.\-]+$`)
