//go:build release

package layout

import "embed"

//go:embed programs
var programs embed.FS
