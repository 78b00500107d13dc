package usage

import _ "embed"

// AppSchema is the JSON Schema, draft 2020-12, of the file about a user's app that rollcall run --app turns into a command line.
//
//go:embed app.schema.json
var AppSchema string
