//go:build release

package release

import "embed"

//go:embed programs
var programs embed.FS
