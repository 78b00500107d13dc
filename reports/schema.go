package reports

import _ "embed"

// Schema is the JSON Schema, draft 2020-12, of what [JSON] writes: every field by name, with its unit.
//
//go:embed report.schema.json
var Schema string
