package observe

import (
	"fmt"
	"time"
)

// refusedFor is for how long every answer has to be 401 until credentials count as expired. A plugin of the kubeconfig makes new ones
// at the first (client-go v0.37.2, plugin/pkg/client/auth/exec, RoundTrip), and an API server that has just begun takes none of an OIDC
// provider until it has heard of that, which it asks every 10 s (apiserver v0.37.2, plugin/pkg/authenticator/token/oidc/oidc.go).
const refusedFor = 30 * time.Second

// answeredBy401 notes whether the API server's last answer was that it does not accept our credentials, and tells once that they have
// expired.
func (j *journal) answeredBy401(so bool) {
	j.mu.Lock()
	told := j.expired
	switch {
	case !so:
		j.refusedSince, j.expired = time.Time{}, ""
	case j.refusedSince.IsZero():
		j.refusedSince = time.Now()
	case time.Since(j.refusedSince) >= refusedFor:
		j.expired = fmt.Sprintf("the credentials of the kubeconfig have expired at %s: the API server answers 401 Unauthorized",
			j.refusedSince.Format("15:04"))
	}
	expired := j.expired
	j.mu.Unlock()
	if told == "" && expired != "" {
		j.gap("%s", expired)
	}
}

// Expired says since when the API server accepts our credentials no more; empty while it does, or may again.
func (w *Watch) Expired() string {
	w.journal.mu.Lock()
	defer w.journal.mu.Unlock()
	return w.journal.expired
}
