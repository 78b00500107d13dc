package rollout

import (
	"context"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubectl/pkg/polymorphichelpers"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/loadgen"
)

// undoToRevision: of three revisions the first is named. Its ReplicaSet gets the next number, so that no revision has the first any more.
// The change-cause is an annotation of the Deployment, which the controller copies to the ReplicaSet of that time; kubectl copies it back
// (Kubernetes v1.37.2, pkg/controller/deployment/util/deployment_util.go, SetNewReplicaSetAnnotations; kubectl v0.37.2,
// pkg/polymorphichelpers/rollback.go, annotationsToSkip). No image is of the third version: its program is that of v2, and says that it
// is v3.
func undoToRevision() harness.Scenario {
	const (
		before    = "history of three versions"
		after     = "history after the undo"
		revisions = "ReplicaSets after the undo"
		carried   = "change-cause of the Deployment after the undo"
		again     = "undo to the revision that it was"
		byThird   = "before-the-undo"
		byFirst   = "after-the-undo"
		requests  = 10 // of one version alone, each of them
	)
	app := fixtures.App{Replicas: 2}
	app.AddDrain() // no node routes to a pod any more when it is gone
	third := app
	third.Tag, third.Env = "v2", &corev1.EnvVar{Name: "ROLLCALL_VERSION", Value: "v3"}
	return harness.Scenario{
		ID: "undo-to-revision",
		Claim: "undoing to the first of three revisions makes it the fourth, with its change-cause, and its version alone answers; " +
			"revision 1 is gone",
		App: app,
		Kind: harness.InSteps{Outside: true, Lasts: time.Minute, Do: func(ctx context.Context, steps *harness.Steps) {
			deployments := steps.Client.AppsV1().Deployments(steps.Namespace)
			live := func() *appsv1.Deployment {
				return harness.Must(deployments.Get(ctx, fixtures.DefaultName, metav1.GetOptions{}))
			}
			because := func(cause string, template func(*appsv1.Deployment)) {
				revise(ctx, steps, func(d *appsv1.Deployment) {
					template(d)
					metav1.SetMetaDataAnnotation(&d.ObjectMeta, polymorphichelpers.ChangeCauseAnnotation, cause)
				})
			}
			steps.Deploy(ctx, app, "v1")
			because("release 1", func(*appsv1.Deployment) {})
			because("release 2", to(steps, app, "v2"))
			because("release 3", to(steps, third, "v3"))
			steps.Reach(ctx)
			steps.Requests(byThird, evidence.Fresh, loadgen.DefaultTimeout).Send(ctx, requests)
			noteCauses(steps, before, live())
			harness.Check(rollout.UndoTo(steps.Client, live(), 1))
			undone := live()
			steps.Until(ctx, completed(undone))
			steps.Requests(byFirst, evidence.Fresh, loadgen.DefaultTimeout).Send(ctx, requests)
			noteCauses(steps, after, undone)
			steps.Note(revisions, steps.History(ctx))
			steps.Note(carried, live().Annotations[polymorphichelpers.ChangeCauseAnnotation])
			if err := rollout.UndoTo(steps.Client, live(), 1); err != nil {
				steps.Note(again, err)
			}
		}},
		Expect: []evidence.Expectation{
			verdict.Fact(before, "REVISION CHANGE-CAUSE: 1 release 1, 2 release 2, 3 release 3"),
			verdict.AllAnswered(byThird),
			verdict.AnsweredBy(byThird, "v3"),
			verdict.Fact(after, "REVISION CHANGE-CAUSE: 2 release 2, 3 release 3, 4 release 1"),
			verdict.Fact(revisions, "2 v2, 3 v3, 4 v1 that was 1"),
			verdict.Fact(carried, "release 1"),
			verdict.AllAnswered(byFirst),
			verdict.AnsweredBy(byFirst, "v1"),
			verdict.Fact(again, "unable to find specified revision 1 in history"),
		},
	}
}

// noteCauses notes what `kubectl rollout history` prints of a Deployment, in a line.
func noteCauses(steps *harness.Steps, name string, d *appsv1.Deployment) {
	var lines []string
	for line := range strings.Lines(strings.TrimSpace(harness.Must(rollout.History(steps.Client, d)))) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	steps.Note(name, lines[0]+": "+strings.Join(lines[1:], ", "))
}
