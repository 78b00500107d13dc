package standstill

import (
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/observe/message"
)

// rejections are what a pod lacks that the API server rejects, rather than a webhook that is away.
var rejections = []evidence.Lack{message.LacksQuota, message.LacksAdmission}

// A refusals has the pods of workloads that the API server did not take.
type refusals struct {
	count    int      // how often it rejected one, by quota, limits or another policy
	rejected Obstacle // the last of these
	last     Obstacle // why the last one was not made, for whatever reason; zero: one was made since
}

func (s *Standstill) refusals(events []*corev1.Event) (found refusals) {
	var last, lastRejected time.Time
	for _, e := range events {
		report := reportOf(e)
		if made := report.Kind == message.Created; !made && report.Kind != message.NotCreated ||
			!slices.Contains(s.workloads, makerOf(e.InvolvedObject.Kind, e.InvolvedObject.Name)) {
			continue
		}
		at, o := observe.LastReported(e), Obstacle{}
		if report.Kind == message.NotCreated {
			o = Obstacle{Kind: Refused, Reason: e.Reason, Message: printable(e.Message), Lacks: report.Lacks}
		}
		if !at.Before(last) {
			last, found.last = at, o
		}
		if !slices.Contains(rejections, o.Lacks) {
			continue
		}
		found.count += timesOf(e)
		if !at.Before(lastRejected) {
			lastRejected, found.rejected = at, o
		}
	}
	return found
}

// overdue says which Deployment's progressDeadlineSeconds are over; empty: none.
func (s *Standstill) overdue() string {
	for _, name := range s.workloads {
		d, err := s.seen.Deployment(name)
		if err == nil && slices.ContainsFunc(d.Status.Conditions, func(c appsv1.DeploymentCondition) bool {
			return c.Type == appsv1.DeploymentProgressing && c.Status == corev1.ConditionFalse && c.Reason == "ProgressDeadlineExceeded"
		}) {
			return fmt.Sprintf("deployment %s made no progress for its progressDeadlineSeconds", name)
		}
	}
	return ""
}
