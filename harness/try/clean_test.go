package try

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	k8stesting "k8s.io/client-go/testing"

	"example.com/rollcall/harness/sharedfile"
)

var stage = identity{Name: "staging", Server: "https://10.0.0.7:6443", UID: "system-a"}

// configMap returns one of a cluster.
func configMap(name string, uid types.UID, run string) *corev1.ConfigMap {
	m := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "shop", UID: uid}}
	if run != "" {
		m.Annotations = map[string]string{runAnnotation: run}
	}
	return m
}

// What a killed try created is deleted, and nothing else.
func TestCleansUpAfterAKilledTry(t *testing.T) {
	entry := func(name, generateName string, uid types.UID) creation {
		return creation{"v1", "ConfigMap", "shop", name, generateName, uid}
	}
	const run = "20260727-101500-during-a1b2c3d4"
	for _, row := range []struct {
		sentence string
		there    []runtime.Object
		of       creation
		on       identity // that the try was on
		alive    bool
		left     []string
		recorded bool // still
	}{
		{"what was created", []runtime.Object{configMap("web", "1", run)}, entry("web", "", "1"), stage, false, nil, false},
		{"killed after the creation, and before its record", []runtime.Object{configMap("web", "1", run)}, entry("web", "", ""), stage, false,
			nil, false},
		{"killed before the creation", nil, entry("web", "", ""), stage, false, nil, false},
		{"killed before the creation, and somebody else made one", []runtime.Object{configMap("web", "1", "")}, entry("web", "", ""), stage,
			false, []string{"ConfigMap web"}, false},
		{"somebody else made it anew, with our annotation", []runtime.Object{configMap("web", "2", run)}, entry("web", "", "1"), stage, false,
			[]string{"ConfigMap web"}, false},
		{"somebody took our annotation away", []runtime.Object{configMap("web", "1", "")}, entry("web", "", "1"), stage, false,
			[]string{"ConfigMap web"}, false},
		{"that of another try", []runtime.Object{configMap("web", "1", "other")}, entry("web", "", ""), stage, false,
			[]string{"ConfigMap web"}, false},
		{"a name that the API server chose, and nobody recorded", []runtime.Object{configMap("job-x", "1", run), configMap("job-y", "2", "")},
			entry("", "job-", ""), stage, false, []string{"ConfigMap job-y"}, false},
		{"one on another cluster with this URL", []runtime.Object{configMap("web", "1", run)}, entry("web", "", "1"),
			identity{"staging", stage.Server, "system-b"}, false, []string{"ConfigMap web"}, true},
		{"one on this cluster by another URL", []runtime.Object{configMap("web", "1", run)}, entry("web", "", "1"),
			identity{"vpn", "https://vpn.test", stage.UID}, false, nil, false},
		{"one whose kube-system nobody may read", []runtime.Object{configMap("web", "1", run)}, entry("web", "", "1"),
			identity{"staging", stage.Server, ""}, false, nil, false},
		{"a try that is alive", []runtime.Object{configMap("web", "1", run)}, entry("web", "", "1"), stage, true, []string{"ConfigMap web"},
			true},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "created-iptables.json")
			if err := (&record{Run: run, Cluster: row.on, Objects: []creation{row.of}, file: file}).save(); err != nil {
				t.Fatal(err)
			}
			if row.alive {
				held, err := sharedfile.TryLock(file + ".lock")
				if err != nil {
					t.Fatal(err)
				}
				defer held.Release()
			}
			said := ""
			to, _ := fakeTarget(func(line string) { said += line }, row.there...)
			asAPIServer(t, to.client.(*dynamicfake.FakeDynamicClient))
			if err := to.cleanRun(t.Context(), stage, file); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.left, names(t, to)); diff != "" {
				t.Error(diff)
			}
			_, err := os.Stat(file)
			if recorded := err == nil; recorded != row.recorded {
				t.Errorf("it is recorded: %v, want %v", recorded, row.recorded)
			}
			if told := strings.Contains(said, "is under way: what it created is left alone"); told != row.alive {
				t.Errorf("it said %q", said)
			}
		})
	}
}

// An object stands in the record before it is created, and with its UID after that.
func TestRecordsBeforeItCreates(t *testing.T) {
	to, _ := fakeTarget(nil)
	fake := to.client.(*dynamicfake.FakeDynamicClient)
	asAPIServer(t, fake)
	r, err := newRecord(stage, true, filepath.Join(t.TempDir(), "created-iptables.json"))
	if err != nil {
		t.Fatal(err)
	}
	to.record = r
	recorded := func() (all []string) {
		var is record
		text, err := os.ReadFile(r.file)
		if err == nil {
			err = json.Unmarshal(text, &is)
		}
		if err != nil {
			t.Error(err)
		}
		for _, of := range is.Objects {
			all = append(all, strings.TrimSpace(of.String()+" "+string(of.UID)))
		}
		return all
	}
	var before [][]string
	fake.PrependReactor("create", "*", func(k8stesting.Action) (bool, runtime.Object, error) {
		before = append(before, recorded())
		return false, nil, nil
	})
	if err := to.create(t.Context(), parsed(t, both)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]string{{"Deployment web"}, {"Deployment web uid-1", "Service web"}}, before); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"Deployment web uid-1", "Service web uid-2"}, recorded()); diff != "" {
		t.Error(diff)
	}
	fake.PrependReactor("delete", "deployments", func(k8stesting.Action) (bool, runtime.Object, error) {
		return true, nil, errors.New("etcdserver: request timed out")
	})
	if err := to.remove(t.Context()); err == nil || err.Error() != "deployment web stays: etcdserver: request timed out" {
		t.Errorf("it is %v", err)
	}
	if diff := cmp.Diff([]string{"Deployment web uid-1"}, recorded()); diff != "" {
		t.Error(diff)
	}
}

// An APIService whose pods are gone keeps namespaces from being deleted, so it is deleted before them.
func TestAPIServicesAreDeletedFirst(t *testing.T) {
	to, _ := fakeTarget(nil)
	fake := to.client.(*dynamicfake.FakeDynamicClient)
	var deleted []string
	fake.PrependReactor("delete", "*", func(action k8stesting.Action) (bool, runtime.Object, error) {
		deleted = append(deleted, action.GetResource().Resource)
		return false, nil, nil
	})
	asAPIServer(t, fake)
	const service = "apiVersion: apiregistration.k8s.io/v1\nkind: APIService\nmetadata: {name: v1.x}\n---\n"
	if err := to.create(t.Context(), parsed(t, service+both)); err != nil {
		t.Fatal(err)
	}
	if err := to.remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"apiservices", "services", "deployments"}, deleted); diff != "" {
		t.Error(diff)
	}
}
