package record

import (
	"context"

	"example.com/rollcall/harness/observe"
)

// openHost starts the client on this host, and waits until the URL gives good replies.
func (r *Recording) openHost(ctx context.Context) error {
	r.watch = observe.None(r.began, r.recorder)
	r.clients = &clients{timeout: r.Timeout, userHTTP: userHTTP(r.UserApp), service: r.App.Name, laneSuffix: r.laneSuffix}
	if err := r.clients.openOutside(ctx, r, r.Existing.URL, r.Existing.Address); err != nil {
		return err
	}
	return r.clients.awaitReplies(ctx, r.Existing, r.watch.Knows)
}
