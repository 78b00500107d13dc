package conformance

import (
	"context"
	"io"

	"example.com/rollcall/harness/usage"
)

// Cleanup deletes what runs left on the cluster that the options name.
func Cleanup(ctx context.Context, out io.Writer, o Options) error {
	if !o.Named() {
		return usage.New("clean", "no cluster is named", "name it: --context=NAME; without options kind clusters are removed")
	}
	prepared, err := o.prepare()
	if err != nil {
		return err
	}
	return prepared.Cleanup(ctx, out)
}
