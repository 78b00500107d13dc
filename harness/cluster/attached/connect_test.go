package attached

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"example.com/rollcall/harness/usage"
)

// An API server that takes a request and never replies ends a run after connectTimeout, with an error that says so.
func TestConnectEndsWithoutAReply(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		cancel(errNoAnswer) // as connectTimeout does
		<-r.Context().Done()
	}))
	defer server.Close()
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	_, err := Connect(ctx, Options{Access: Access{Server: server.URL}})
	if !usage.Is(err) || !strings.Contains(err.Error(), ": it cannot be reached: ") || !strings.Contains(err.Error(), errNoAnswer.Error()) {
		t.Errorf("%v", err)
	}
}
