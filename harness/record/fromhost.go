package record

import (
	"context"

	"example.com/rollcall/harness/observe"
)

// openHost starts the client on this host, and waits until the URL gives good replies.
func (r *Recording) openHost(ctx context.Context) error {
	r.watch = observe.None(r.began, r.recorder)
	r.clients = &clients{load: r.Load, userHTTP: userHTTP(r.UserApp), service: r.App.Name, laneSuffix: r.laneSuffix}
	if err := r.clients.openOutside(ctx, r, r.Elsewhere.URL, r.Elsewhere.Address); err != nil {
		return err
	}
	return r.clients.awaitReplies(ctx, r.Elsewhere, r.watch.Knows)
}
