package usage

import _ "embed"

// AppSchema is the JSON Schema, draft 2020-12, of the file that describes a user's app, which package userapp reads.
//
//go:embed app.schema.json
var AppSchema string
