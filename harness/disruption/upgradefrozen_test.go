package disruption

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"example.com/rollcall/harness/kube"
)

// A frozen cluster has an API server that takes requests and never replies.
type frozen struct {
	*fakeCluster
	client kubernetes.Interface
}

func (c frozen) Client() kubernetes.Interface { return c.client }

type noReply struct{}

func (noReply) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// A request for the API server's version ends with its step: else a frozen API server would hang the upgrade.
func TestAFrozenAPIServerIsNotWaitedForWithoutEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, err := kubernetes.NewForConfig(&rest.Config{Host: "http://frozen", Transport: noReply{}})
		if err != nil {
			t.Fatal(err)
		}
		u := upgrade{Changeable: frozen{newFake(t), client}, to: kube.Upgrade{Version: next}, hurries: true}
		for name, s := range map[string]step{"watches": {do: u.awaitWatches}, "the new version": u.complete()} {
			if err := s.take(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "not done after 5m0s: ") {
				t.Errorf("waiting for %s: error %v", name, err)
			}
		}
	})
}
