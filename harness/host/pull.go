package host

import (
	"context"
	"fmt"
	"time"

	"example.com/rollcall/harness/command"
)

// Pull has the engine pull an image. If it prints nothing within registryTimeout it is cancelled: the first output means that a
// registry has the image.
func Pull(ctx context.Context, image string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(registryTimeout, func() { cancel(fmt.Errorf("no registry answered in %v", registryTimeout)) })
	_, err := command.Command{Line: "docker pull " + image, Log: stopper{silence}}.Run(ctx)
	return err
}

// A stopper stops its timer when something is written.
type stopper struct{ *time.Timer }

func (s stopper) Write(p []byte) (int, error) {
	s.Stop()
	return len(p), nil
}
