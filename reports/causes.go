package reports

import (
	"fmt"
	"slices"

	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/reports/model"
)

// newCauses puts the causes of a timeline into a report.
func newCauses(of []timeline.Cause, tl timeline.Timeline) (all []model.Cause) {
	for _, c := range of {
		cause := model.Cause{Stage: c.Stage, State: c.Condition, Step: c.Trigger, Owner: c.Owner, Requests: len(c.Hits), Lanes: c.Lanes,
			First: millis(c.First()), Last: millis(c.Last()), Code: c.Code(), Evidence: c.Proofs, Since: c.Since.What, Open: isOpen(c, tl)}
		if c.Since.What != "" {
			cause.SinceAt = new(millis(c.Since.At))
		}
		cause.Text = causeText(c, cause.Open)
		all = append(all, cause)
	}
	return all
}

// isOpen reports whether the last request of some lane was among those of a cause.
func isOpen(c timeline.Cause, tl timeline.Timeline) bool {
	last := map[string]timeline.Hit{}
	for _, h := range c.Hits {
		last[h.Lane] = h
	}
	return slices.ContainsFunc(tl.Lanes, func(l timeline.Lane) bool {
		h, has := last[l.ID]
		return has && h.Sent >= l.Summary.LastSent
	})
}

// causeText says what became of the requests of a cause, since what and when, and who can mend that.
func causeText(c timeline.Cause, open bool) string {
	said := fmt.Sprintf("%s %s", phrase.Count(len(c.Hits), "request"), c.Did())
	if since := verdict.Since(c); since != "" {
		said += ", " + since
	}
	if len(c.Hits) == 1 {
		said += ", at " + phrase.Seconds(c.First())
	} else {
		said += fmt.Sprintf(", from %s to %s", phrase.Seconds(c.First()), phrase.Seconds(c.Last()))
	}
	said += " on " + phrase.Count(len(c.Lanes), "lane")
	if open {
		said += ", which was not over when the load ended"
	}
	if where := ownerWords[c.Owner]; where != "" {
		said += ": to be mended " + where
	}
	return said + " (" + c.Code() + ")"
}

// ownerWords say where what each owner has is mended.
var ownerWords = map[timeline.Owner]string{
	timeline.OwnerClient:     "on the client's host",
	timeline.OwnerCluster:    "in the cluster",
	timeline.OwnerDoor:       "at what stands before the Service",
	timeline.OwnerManifest:   "in the app's manifests",
	timeline.OwnerApp:        "in the app's program",
	timeline.OwnerDependency: "in what the app needs",
	timeline.OwnerOther:      "in the other workload",
}
