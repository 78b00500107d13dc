package verdict

import (
	"slices"

	"rollcall/harness/evidence"
)

// On limits an expectation to lanes with such connections.
func On(conn evidence.Conn, x evidence.Expectation) evidence.Expectation {
	x.Conn = conn
	return x
}

// OnKind limits an expectation to lanes of a kind, by its name, such as [evidence.Named].
func OnKind(kind string, x evidence.Expectation) evidence.Expectation {
	x.Kind = kind
	return x
}

// OnOthers limits an expectation to lanes whose clients are not on a node that is disrupted.
func OnOthers(x evidence.Expectation) evidence.Expectation {
	x.Nodes = evidence.OtherNodes
	return x
}

// OnDisrupted limits an expectation to lanes whose clients are on a node that is disrupted.
func OnDisrupted(x evidence.Expectation) evidence.Expectation {
	x.Nodes = evidence.DisruptedNodes
	return x
}

// Scaled has the bounds grow with what the cluster takes to start pods and write rules, as the times of the app do. It is for
// bounds that come from those times, and neither for what the scenario itself makes last nor for one that a claim states.
func Scaled(x evidence.Expectation) evidence.Expectation {
	x.Scales = true
	return x
}

// In limits an expectation to clusters with this proxy mode, and those named before.
func In(mode string, x evidence.Expectation) evidence.Expectation {
	x.Modes = append(slices.Clone(x.Modes), mode)
	return x
}

// Since limits an expectation to Kubernetes from this minor on, such as "1.36", or from a patch, such as "1.35.4".
func Since(minor string, x evidence.Expectation) evidence.Expectation {
	x.Since = minor
	return x
}

// Before limits an expectation to Kubernetes before this minor, or before a patch.
func Before(minor string, x evidence.Expectation) evidence.Expectation {
	x.Before = minor
	return x
}

// Decides has a seed claim, such as "C5", hold or not by the expectation, beside those named before: a scenario in which it was
// not judged does not cover the claim.
func Decides(claim string, x evidence.Expectation) evidence.Expectation {
	x.Decides = append(slices.Clone(x.Decides), claim)
	return x
}
