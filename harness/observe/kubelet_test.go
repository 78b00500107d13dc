package observe

import (
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
)

// A kubelet serves the log of one pod's container as a real one behind an API server does, over
// HTTP/2, with the given faults.
type kubelet struct {
	mu      sync.Mutex
	changed chan struct{} // closed and replaced at every change
	runs    []*run
	gone    bool        // the pod left the API
	faults  []fault     // of the next requests, in order
	asked   []time.Time // when each request came
}

// A run is the log of one run of the container.
type run struct {
	text    string
	rotated int // bytes that a new request does not get
	ended   bool
	removed bool // the container and its log are removed, which the kubelet can only say in the log
}

// A fault is what is wrong with one answer.
type fault struct {
	status int    // of the answer; 0: 200
	after  int    // bytes of the log that are sent before the fault
	then   end    // the fault
	remark string // sent after the log
}

type end string

const (
	closes end = "closes" // as if the log ended: the API server lost the kubelet
	resets end = "resets" // the client lost the API server
	stalls end = "stalls" // nothing more is sent
)

func (k *kubelet) change(do func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	do()
	close(k.changed)
	k.changed = make(chan struct{})
}

// serve starts to serve and returns a client for it.
func (k *kubelet) serve(t *testing.T) typedcorev1.CoreV1Interface {
	t.Helper()
	server := httptest.NewUnstartedServer(k)
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	client, err := kubernetes.NewForConfig(&rest.Config{
		Host: server.URL,
		QPS:  0.001, Burst: 2, // a client that obeys the limit has two requests
		TLSClientConfig: rest.TLSClientConfig{CAData: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})},
	})
	if err != nil {
		t.Fatal(err)
	}
	return client.CoreV1()
}

func (k *kubelet) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	if r.URL.Path == "/api/v1/namespaces/n/pods" && query.Get("fieldSelector") == "metadata.name=p" {
		k.show(w)
		return
	}
	log, from, f := k.request(query.Get("previous") == "true")
	switch {
	case r.URL.Path != "/api/v1/namespaces/n/pods/p/log" || query.Has("container") && query.Get("container") != "echo":
		http.Error(w, "not what a kubelet is asked: "+r.URL.String(), http.StatusTeapot)
		return
	case f.status != 0:
		http.Error(w, "fault", f.status)
		return
	case log == nil:
		http.Error(w, `pods "p" not found`, http.StatusNotFound)
		return
	}
	for first := from; ; {
		k.mu.Lock()
		more, ended, changed := log.text[from:], log.ended, k.changed
		k.mu.Unlock()
		if f.then != "" {
			more = more[:min(len(more), first+f.after-from)]
		}
		_, _ = w.Write([]byte(more))
		w.(http.Flusher).Flush()
		from += len(more)
		switch atFault := from-first == f.after; {
		case atFault && f.then == closes:
			return
		case atFault && f.then == resets:
			panic(http.ErrAbortHandler)
		case atFault && f.then == stalls:
			<-r.Context().Done()
			return
		case query.Get("follow") != "true" || ended || f.remark != "":
			_, _ = w.Write([]byte(f.remark))
			return
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}

// show lists the pod, if it is in the API. To get it takes another right.
func (k *kubelet) show(w http.ResponseWriter) {
	k.mu.Lock()
	defer k.mu.Unlock()
	pod := `{"metadata":{"name":"p"}}`
	if len(k.runs) == 1 && k.runs[0].ended {
		pod = `{"metadata":{"name":"p"},"status":{"phase":"Failed"}}`
	}
	if k.gone {
		pod = ""
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"kind":"PodList","apiVersion":"v1","items":[%s]}`, pod)
}

// request is what a request gets: a log, from which byte on, and the fault.
func (k *kubelet) request(previous bool) (log *run, from int, f fault) {
	k.change(func() {
		k.asked = append(k.asked, time.Now())
		if len(k.faults) > 0 {
			f, k.faults = k.faults[0], slices.Clone(k.faults[1:])
		}
		n := len(k.runs) - 1
		if previous {
			n--
		}
		if n < 0 || k.gone {
			return
		}
		log, from = k.runs[n], k.runs[n].rotated
		if log.removed {
			from, f = len(log.text), fault{remark: "unable to retrieve container logs for containerd://0"}
		}
	})
	return log, from, f
}

// A client is a fake one but for logs, which it gets from a kubelet.
type client struct {
	kubernetes.Interface
	logs typedcorev1.CoreV1Interface
}

type core struct {
	typedcorev1.CoreV1Interface
	logs typedcorev1.CoreV1Interface
}

type pods struct {
	typedcorev1.PodInterface
	logs typedcorev1.PodInterface
}

// IsWatchListSemanticsUnSupported tells informers that the fake client cannot stream lists.
func (c client) IsWatchListSemanticsUnSupported() bool { return true }

func (c client) CoreV1() typedcorev1.CoreV1Interface { return core{c.Interface.CoreV1(), c.logs} }

func (c core) Pods(namespace string) typedcorev1.PodInterface {
	return pods{c.CoreV1Interface.Pods(namespace), c.logs.Pods(namespace)}
}

func (p pods) GetLogs(name string, options *corev1.PodLogOptions) *rest.Request {
	return p.logs.GetLogs(name, options)
}
