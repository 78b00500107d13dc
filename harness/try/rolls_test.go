package try

import (
	"strings"
	"testing"
)

// A workload that replaces no pod by itself is refused: its rollout would be waited for until a time limit.
func TestWorkloadsThatRollNothing(t *testing.T) {
	of := func(kind, spec string) string {
		return strings.NewReplacer("kind: Deployment", "kind: "+kind, "spec:\n  selector", "spec:\n  "+spec+"\n  selector").Replace(both)
	}
	const byHand = ": delete its pods in a command: rollcall during --service=default/web -- COMMAND"
	for _, row := range []struct{ sentence, manifest, next, want string }{
		{"a Deployment", both, "", ""},
		{"a StatefulSet whose pods others delete", of("StatefulSet", "updateStrategy: {type: OnDelete}"), "",
			"StatefulSet web (app.yaml:1): its updateStrategy OnDelete ends no pod by itself" + byHand},
		{"a DaemonSet of that kind", of("DaemonSet", "updateStrategy: {type: OnDelete}"), "",
			"DaemonSet web (app.yaml:1): its updateStrategy OnDelete ends no pod by itself" + byHand},
		{"a ReplicaSet", of("ReplicaSet", "minReadySeconds: 1"), "",
			"ReplicaSet web (app.yaml:1): a ReplicaSet ends no pod when its template changes" + byHand},
		{"a Deployment that is paused", of("Deployment", "paused: true"), "",
			"Deployment web (app.yaml:1): it is paused, so that nothing is rolled out: leave spec.paused out"},
		{"a partition that keeps all", of("StatefulSet", "replicas: 2\n  updateStrategy: {rollingUpdate: {partition: 2}}"), "",
			"StatefulSet web (app.yaml:1): its partition 2 keeps each of its pods as it is: give it a lower partition"},
		{"one that keeps some", of("StatefulSet", "replicas: 3\n  updateStrategy: {rollingUpdate: {partition: 2}}"), "", ""},
		{"the next version decides", of("Deployment", "paused: true"), both, ""},
		{"and if it is paused", both, of("Deployment", "paused: true"),
			"Deployment web (app.yaml:1): it is paused, so that nothing is rolled out: leave spec.paused out"},
	} {
		app, err := New(parsed(t, row.manifest), "", "")
		if err != nil {
			t.Fatal(err)
		}
		change := Change{}
		if row.next != "" {
			change.objects = parsed(t, row.next)
		}
		got := ""
		if err := checkRolls(app, change); err != nil {
			got = err.Error()
		}
		if got != row.want {
			t.Errorf("%s: it is\n%s\nwant\n%s", row.sentence, got, row.want)
		}
	}
}
