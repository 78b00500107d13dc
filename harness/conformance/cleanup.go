package conformance

import (
	"context"
	"io"

	"rollcall/harness/usage"
)

// Cleanup removes what runs left on the cluster that the options name.
func Cleanup(ctx context.Context, out io.Writer, o Options) error {
	if o.Context == "" && o.Kubeconfig == "" {
		return usage.New("cleanup", "no cluster is named", "name it: --context=NAME; rollcall clean removes kind clusters")
	}
	prepared, err := o.prepare()
	if err != nil {
		return err
	}
	return prepared.Cleanup(ctx, out)
}
