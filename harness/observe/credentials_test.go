package observe

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"

	"example.com/rollcall/harness/evidence"
)

func TestExpiredCredentials(t *testing.T) {
	const end = 5 * time.Minute
	unauthorized := apierrors.NewUnauthorized("Unauthorized")
	said := func(after time.Duration) string {
		at := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Add(after).Local()
		return "the credentials of the kubeconfig have expired at " + at.Format("15:04") + ": the API server answers 401 Unauthorized"
	}
	for _, row := range []struct {
		sentence    string
		from, until time.Duration // when answers are 401
		expired     string        // at the end
		gaps        []string
	}{
		{"credentials that are accepted", 0, 0, "", nil},
		{"a token that expires did so when it was first refused", 110 * time.Second, time.Hour, said(110 * time.Second),
			[]string{said(110 * time.Second)}},
		{"an exec plugin gets a new token when one is refused", 110 * time.Second, 110*time.Second + beatEvery, "", nil},
		{"an API server that has just started does not know the OIDC provider yet", 110 * time.Second, 110*time.Second + refusedFor, "", nil},
		{"a file with a new token comes late", 110 * time.Second, 3 * time.Minute, "", []string{said(110 * time.Second)}},
		{"the credentials had expired before", 0, time.Hour, said(0), []string{said(0)}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), end)
				defer cancel()
				began := time.Now()
				client := fake.NewClientset()
				client.PrependReactor("get", "namespaces", func(k8stesting.Action) (bool, runtime.Object, error) {
					at := time.Since(began)
					return row.from <= at && at < row.until, nil, unauthorized
				})
				noticed := newMemorySink()
				w := &Watch{journal: newJournal(began, noticed)}
				heartbeat{w.journal, client.CoreV1().Namespaces(), namespace, evidence.APITimeout}.run(ctx)
				w.journal.broke(unauthorized)
				want := row.gaps
				if row.expired == "" { // after that a watch that breaks is not noted
					want = append(want, "Unauthorized")
				}
				var gaps []string
				for _, e := range noticed.events {
					if e.Kind == evidence.WatchGap {
						gaps = append(gaps, e.Detail)
					}
				}
				if diff := cmp.Diff(want, gaps); diff != "" {
					t.Errorf("gaps (-want +got):\n%s", diff)
				}
				if got := w.Expired(); got != row.expired {
					t.Errorf("%q, want %q", got, row.expired)
				}
			})
		})
	}
}
