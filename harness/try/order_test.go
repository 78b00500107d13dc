package try

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	k8stesting "k8s.io/client-go/testing"

	"example.com/rollcall/harness/manifest"
	"example.com/rollcall/harness/usage"
)

// withStatus has what is created of a resource get a status at once, and notes what is deleted.
func withStatus(to *target, written *[]string, of map[string]map[string]any) {
	client := to.client.(*dynamicfake.FakeDynamicClient)
	for resource, status := range of {
		client.PrependReactor("create", resource, func(action k8stesting.Action) (bool, runtime.Object, error) {
			action.(k8stesting.CreateAction).GetObject().(*unstructured.Unstructured).Object["status"] = runtime.DeepCopyJSON(status)
			return false, nil, nil
		})
	}
	client.PrependReactor("delete", "*", func(action k8stesting.Action) (bool, runtime.Object, error) {
		*written = append(*written, "delete "+action.GetResource().Resource+" "+action.(k8stesting.DeleteAction).GetName())
		return false, nil, nil
	})
}

var (
	complete = map[string]any{"conditions": []any{map[string]any{"type": "Complete", "status": "True"}}}
	rolled   = map[string]any{"observedGeneration": int64(0), "replicas": int64(1), "updatedReplicas": int64(1),
		"readyReplicas": int64(1), "availableReplicas": int64(1)}
)

// A chart is installed and upgraded in the order of Helm: hooks by weight, those that are done with are deleted, and tests never run.
func TestHooksOfHelm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		objects, err := manifest.Read(manifest.Sources{Chart: "../manifest/testdata/shop"})
		if err != nil {
			t.Fatal(err)
		}
		app, err := New(objects, "", "")
		if err != nil {
			t.Fatal(err)
		}
		to, _ := fakeTarget(func(string) {})
		written := asAPIServer(t, to.client.(*dynamicfake.FakeDynamicClient))
		withStatus(to, written, map[string]map[string]any{"jobs": complete})
		before := []string{"create ServiceAccount shop-migrate", "create Job shop-migrate", "delete jobs shop-migrate",
			"delete serviceaccounts shop-migrate"}
		if err := to.install(t.Context(), app); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(append(before, "create ConfigMap shop-config", "create Service shop-queue", "create Service shop",
			"create Deployment shop", "create StatefulSet shop-queue", "create Job shop-seed"), *written); diff != "" {
			t.Errorf("installed (-want +got):\n%s", diff)
		}
		*written = nil
		if err := changeTo(objects, "shop").do(t.Context(), app, to); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(append(before, "apply ConfigMap shop-config", "apply Service shop-queue", "apply Service shop",
			"apply Deployment shop", "apply StatefulSet shop-queue"), *written); diff != "" {
			t.Errorf("upgraded (-want +got):\n%s", diff)
		}
		if stays := strings.Join(to.record.stays(), ", "); strings.Contains(stays, "migrate") || !strings.Contains(stays, "job shop-seed") {
			t.Errorf("%s would stay", stays)
		}
	})
}

// Hooks and waves of Argo CD.
func TestHooksOfArgo(t *testing.T) {
	const job = "apiVersion: batch/v1\nkind: Job\nmetadata: {NAME, annotations: {argocd.argoproj.io/hook: HOOK}}\n" +
		"spec: {template: {spec: {restartPolicy: Never}}}\n---\n"
	const config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: NAME, annotations: {argocd.argoproj.io/sync-wave: \"WAVE\"}}\n---\n"
	in := func(text string, pairs ...string) string { return strings.NewReplacer(pairs...).Replace(text) }
	for _, row := range []struct {
		sentence, manifests string
		want                []string
	}{
		{"no hooks and no waves: all at once", both, []string{"create Deployment web", "create Service web"}},
		{"before, after, and neither", in(job, "NAME", "name: after", "HOOK", "PostSync") + in(job, "NAME", "name: not", "HOOK", "Skip") +
			in(job, "NAME", "name: before", "HOOK", "PreSync") + both,
			[]string{"create Job before", "create Deployment web", "create Service web", "ready", "create Job after"}},
		{"a hook whose name the API server chooses", in(job, "NAME", "generateName: before-", "HOOK", "PreSync") + both,
			[]string{"create Job ", "create Deployment web", "create Service web"}},
		{"a hook that runs before and after is deleted before it runs again", in(job, "NAME", "name: check", "HOOK", `"PreSync,PostSync"`) + both,
			[]string{"create Job check", "create Deployment web", "create Service web", "ready", "delete jobs check", "create Job check"}},
		{"each wave when the one before is ready", in(config, "NAME", "last", "WAVE", "5") + both +
			"---\n" + in(config, "NAME", "first", "WAVE", "-1") + in(job, "NAME", "name: within", "HOOK", "Sync"),
			[]string{"create ConfigMap first", "ready", "create Deployment web", "create Service web", "create Job within", "ready",
				"create ConfigMap last"}},
		{"a namespace and what is in it", "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {team: web}}\n---\n" +
			in(job, "NAME", "name: before, namespace: shop", "HOOK", "PreSync") + both,
			[]string{"create Namespace shop", "create Job before", "create Deployment web", "create Service web"}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				to, _ := fakeTarget(func(string) {})
				written := asAPIServer(t, to.client.(*dynamicfake.FakeDynamicClient))
				withStatus(to, written, map[string]map[string]any{"jobs": complete})
				objects, hooks := apart(parsed(t, row.manifests))
				err := order{to: to, objects: objects, hooks: hooks, write: to.create, ready: func(context.Context) error {
					*written = append(*written, "ready")
					return nil
				}}.do(t.Context())
				if diff := cmp.Diff(row.want, *written); err != nil || diff != "" {
					t.Errorf("%v (-want +got):\n%s", err, diff)
				}
			})
		})
	}
}

// A hook that exists is somebody's: nothing is created then, and not what comes before it either.
func TestAHookThatExists(t *testing.T) {
	theirs := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "after", Namespace: "default"}}
	to, _ := fakeTarget(nil, theirs)
	written := asAPIServer(t, to.client.(*dynamicfake.FakeDynamicClient))
	app, err := New(parsed(t, both+"---\napiVersion: v1\nkind: ServiceAccount\nmetadata: {name: after, annotations: {helm.sh/hook: post-install}}\n"),
		"", "")
	if err != nil {
		t.Fatal(err)
	}
	const want = "ServiceAccount after: already exists in namespace default: use a cluster or a namespace without it"
	if err := to.install(t.Context(), app); err == nil || err.Error() != want || len(*written) > 0 {
		t.Errorf("it is %v, after %v", err, *written)
	}
}

// Argo CD's waves wait for what is really ready.
func TestWavesThatAreReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to, _ := fakeTarget(func(string) {})
		written := asAPIServer(t, to.client.(*dynamicfake.FakeDynamicClient))
		withStatus(to, written, map[string]map[string]any{"deployments": rolled})
		app, err := New(parsed(t, both+"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: last, annotations: "+
			"{argocd.argoproj.io/sync-wave: \"1\"}}\n"), "", "")
		if err != nil {
			t.Fatal(err)
		}
		if err := to.install(t.Context(), app); err != nil {
			t.Fatal(err)
		}
		if last := (*written)[len(*written)-1]; last != "create ConfigMap last" {
			t.Errorf("written: %v", *written)
		}
	})
}

// A Job with ttlSecondsAfterFinished may be gone before anybody sees that it has ended.
func TestAHookThatIsDeleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to, _ := fakeTarget(func(string) {})
		fake := to.client.(*dynamicfake.FakeDynamicClient)
		asAPIServer(t, fake)
		go func() {
			time.Sleep(2500 * time.Millisecond)
			_ = fake.Tracker().Delete(batchv1.SchemeGroupVersion.WithResource("jobs"), "default", "migrate")
		}()
		err := to.runHooks(t.Context(), parsed(t, "apiVersion: batch/v1\nkind: Job\nmetadata: {name: migrate, annotations: "+
			"{helm.sh/hook: pre-install}}\nspec: {template: {spec: {restartPolicy: Never}}}\n"))
		const want = "hook Job migrate (pre-install, app.yaml:1): it was deleted before its end was seen: " +
			"leave out its ttlSecondsAfterFinished, or make it a minute"
		if err == nil || err.Error() != want || !usage.Is(err) {
			t.Errorf("it is %v\nwant %s", err, want)
		}
	})
}

// A hook that does not succeed ends the try in one line, which says why.
func TestHooksThatFail(t *testing.T) {
	const job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: migrate, annotations: {helm.sh/hook: \"pre-install,pre-upgrade\"}}\n" +
		"spec: {LIMITtemplate: {spec: {restartPolicy: Never}}}\n"
	const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: migrate, annotations: {helm.sh/hook: pre-install}}\nspec: {containers: []}\n"
	failed := map[string]any{"conditions": []any{map[string]any{"type": "Failed", "status": "True", "reason": "BackoffLimitExceeded"}}}
	exited := corev1.PodStatus{Phase: corev1.PodFailed, ContainerStatuses: []corev1.ContainerStatus{{Name: "m",
		State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 3, Reason: "Error"}}}}}
	unpulled := corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Name: "m", State: corev1.ContainerState{
		Waiting: &corev1.ContainerStateWaiting{Reason: "ErrImagePull", Message: "no such host"}}}}}
	const ofJob, ofPod = "hook Job migrate (pre-install,pre-upgrade, app.yaml:1): ", "hook Pod migrate (pre-install, app.yaml:1): "
	const logs = "the last lines of container m in pod migrate-x:\n    fake logs\n"
	for _, row := range []struct {
		sentence, manifest string
		status             map[string]any
		pod                corev1.PodStatus
		after              time.Duration
		said, want         string
	}{
		{"its pods fail", job, failed, exited, 0, logs,
			ofJob + "it has failed: BackoffLimitExceeded: pod migrate-x: container m exited with code 3: its last lines may say why"},
		{"its pods are gone", job, failed, corev1.PodStatus{Phase: corev1.PodSucceeded}, 0, "",
			ofJob + "it has failed: BackoffLimitExceeded: see what it does: kubectl describe job/migrate"},
		{"its image cannot be pulled", job, nil, unpulled, 50 * time.Second, "",
			ofJob + "it cannot end: pod migrate-x: container m is waiting: ErrImagePull: no such host: have nodes reach its registry, " +
				"or have the image in this host's Docker"},
		{"it does not end", job, nil, corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{{Name: "m", Ready: true}}},
			hookTimeout, "", ofJob + "it has not ended after 5m0s: "},
		{"it does not end within its own limit", strings.Replace(job, "LIMIT", "activeDeadlineSeconds: 20, ", 1), nil,
			corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{{Name: "m", Ready: true}}}, 20 * time.Second, "",
			ofJob + "it has not ended after 20s: "},
		{"a pod fails", pod, map[string]any{"phase": "Failed"}, corev1.PodStatus{}, 0, "",
			ofPod + "it has failed: see what it does: kubectl describe pod/migrate"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var said strings.Builder
				to, client := fakeTarget(func(line string) { fmt.Fprintln(&said, line) })
				if _, err := client.CoreV1().Pods("default").Create(t.Context(), &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "migrate-x", UID: "x",
					Labels: map[string]string{"batch.kubernetes.io/job-name": "migrate"}}, Status: row.pod}, metav1.CreateOptions{}); err != nil {
					t.Fatal(err)
				}
				written := asAPIServer(t, to.client.(*dynamicfake.FakeDynamicClient))
				status := map[string]any{}
				if row.status != nil {
					status = row.status
				}
				withStatus(to, written, map[string]map[string]any{"jobs": status, "pods": status})
				began := time.Now()
				err := to.runHooks(t.Context(), parsed(t, strings.Replace(row.manifest, "LIMIT", "", 1)))
				if err == nil || !strings.HasPrefix(err.Error(), row.want) || !usage.Is(err) || strings.Contains(err.Error(), "\n") {
					t.Errorf("it is %v\nwant %s", err, row.want)
				}
				if took := time.Since(began); took != row.after {
					t.Errorf("said after %v, want %v", took, row.after)
				}
				if got := said.String(); !strings.HasSuffix(got, row.said) {
					t.Errorf("said\n%s", got)
				}
			})
		})
	}
}
