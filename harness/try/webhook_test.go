package try

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	k8stesting "k8s.io/client-go/testing"
)

const (
	guard = "---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: guard}\n" +
		"webhooks: [{name: guard.example.org, clientConfig: {service: {namespace: default, name: web}}}]\n"
	settings = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n"
)

// calling is what the API server says where it cannot call a webhook.
func calling(webhook, because string) error {
	return apierrors.NewInternalError(errors.New(`failed calling webhook "` + webhook + `": failed to call webhook: ` + because))
}

// readyAfter makes Deployment web ready some time after it is created.
func readyAfter(t *testing.T, client *dynamicfake.FakeDynamicClient, after time.Duration) {
	t.Helper()
	deployments := appsv1.SchemeGroupVersion.WithResource("deployments")
	client.PrependReactor("create", "deployments", func(action k8stesting.Action) (bool, runtime.Object, error) {
		ready := action.(k8stesting.CreateAction).GetObject().(*unstructured.Unstructured).DeepCopy()
		ready.SetGeneration(1)
		ready.Object["status"] = map[string]any{"observedGeneration": int64(1), "replicas": int64(1), "updatedReplicas": int64(1),
			"readyReplicas": int64(1), "availableReplicas": int64(1)}
		time.AfterFunc(after, func() {
			if err := client.Tracker().Update(deployments, ready, "default"); err != nil {
				t.Error(err)
			}
		})
		return false, nil, nil
	})
}

// An object that a webhook of the manifests refuses, since its pods do not answer yet, is created once they do.
func TestWebhooksOfTheManifests(t *testing.T) {
	const (
		refused = `dial tcp 10.96.0.7:443: connect: connection refused`
		held    = "ConfigMap settings: "
		by      = "webhook guard.example.org of Service default/web refuses it, and "
		says    = `: Internal error occurred: failed calling webhook "guard.example.org": failed to call webhook: ` + refused
		remedy  = ": have the pods of Service default/web answer"
		never   = 24 * time.Hour
	)
	at := regexp.MustCompile(` \(app\.yaml:\d+\)`)
	for _, row := range []struct {
		sentence, manifest, webhook string
		ready, answers, took        time.Duration
		err                         string
	}{
		{"its pods answer as soon as they are ready", both + guard + settings, "guard.example.org", 20 * time.Second, 20500 * time.Millisecond,
			21 * time.Second, ""},
		{"before the object is even applied", both + settings + guard, "guard.example.org", 20 * time.Second, 20500 * time.Millisecond,
			21 * time.Second, ""},
		{"its pods never answer", both + guard + settings, "guard.example.org", 19500 * time.Millisecond, never, 50 * time.Second,
			held + by + "its pods have been ready for 30s" + says + remedy},
		{"its pods never get ready", both + guard + settings, "guard.example.org", never, never, 10 * time.Minute,
			held + by + "Deployment web has a change that its controller has not seen yet after 10m0s" + says + remedy},
		{"others run its pods", guard + settings, "guard.example.org", never, never, 0, held + by + "no manifest has its pods" + says + remedy},
		{"it is of others", both + guard + settings, "others.example.org", never, never, 0,
			held + strings.Replace(says, "guard", "others", 1)[2:] + ": fix the manifest"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				to, _ := fakeTarget(func(string) {})
				client := to.client.(*dynamicfake.FakeDynamicClient)
				written := asAPIServer(t, client)
				readyAfter(t, client, row.ready)
				began := time.Now()
				client.PrependReactor("create", "configmaps", func(k8stesting.Action) (bool, runtime.Object, error) {
					if time.Since(began) < row.answers {
						return true, nil, calling(row.webhook, refused)
					}
					return false, nil, nil
				})
				err := to.create(t.Context(), parsed(t, row.manifest))
				if (err != nil || row.err != "") && (err == nil || at.ReplaceAllString(err.Error(), "") != row.err) {
					t.Errorf("it is %v, want %s", err, row.err)
				}
				if took := time.Since(began); took != row.took {
					t.Errorf("it took %v, want %v", took, row.took)
				}
				if created := slices.Contains(*written, "create ConfigMap settings"); created != (row.err == "") {
					t.Errorf("written: %v", *written)
				}
			})
		})
	}
}

// A rollout begins although a webhook of the manifests does not answer for a moment.
func TestARolloutThatAWebhookHoldsBack(t *testing.T) {
	for _, row := range []struct {
		sentence, webhook string
		answers           time.Duration
		err               string
	}{
		{"for a moment", "guard.example.org", 3 * time.Second, ""},
		{"for longer than one call may take", "guard.example.org", time.Hour,
			`Internal error occurred: failed calling webhook "guard.example.org": failed to call webhook: EOF`},
		{"that is of others", "others.example.org", 3 * time.Second,
			`Internal error occurred: failed calling webhook "others.example.org": failed to call webhook: EOF`},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				to, _ := fakeTarget(func(string) {})
				client := to.client.(*dynamicfake.FakeDynamicClient)
				asAPIServer(t, client)
				objects := parsed(t, both+guard)
				if err := to.create(t.Context(), objects); err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				client.PrependReactor("patch", "deployments", func(action k8stesting.Action) (bool, runtime.Object, error) {
					if action.(k8stesting.PatchAction).GetPatchType() == types.MergePatchType && time.Since(began) < row.answers {
						return true, nil, calling(row.webhook, "EOF")
					}
					return false, nil, nil
				})
				app, err := New(objects, "", "")
				if err != nil {
					t.Fatal(err)
				}
				err = Change{}.do(t.Context(), app, to)
				if (err != nil || row.err != "") && (err == nil || err.Error() != row.err) {
					t.Errorf("it is %v, want %s", err, row.err)
				}
			})
		})
	}
}
