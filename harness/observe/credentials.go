package observe

import (
	"fmt"
	"time"
)

// noteUnauthorized takes note of whether the API server's last answer was 401, and notes a gap of the watch once credentials count as
// expired.
func (j *journal) noteUnauthorized(so bool) {
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

// Expired returns since when the API server has refused our credentials; empty while it accepts them, or may accept them again.
func (w *Watch) Expired() string {
	w.journal.mu.Lock()
	defer w.journal.mu.Unlock()
	return w.journal.expired
}
