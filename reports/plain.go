package reports

// OneLine makes recorded text safe to print: every run of white space is one space, and control characters,
// which a terminal might obey, are dropped.
func OneLine(s string) string { return oneLine(s) }

// Escape makes recorded text one line that Markdown shows as it is.
func Escape(s string) string { return escape(s) }
