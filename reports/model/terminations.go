package model

import (
	"fmt"

	"example.com/rollcall/harness/verdict/phrase"
)

// Terminations counts the ends of old pods, each as the clients on one node see it.
type Terminations struct {
	Count int `json:"count"`
	Lost  int `json:"lost"` // that may have cost a request
	// ByNode says that each node is an independent sample, since its rules were read. Otherwise each pod is. Reports of earlier Rollcalls
	// have neither this nor numbers of pods.
	ByNode   bool `json:"by_node"`
	Pods     int  `json:"pods"`
	PodsLost int  `json:"pods_lost"`
	// Upper is the largest share of all samples there could be that lose one, at 95 % confidence.
	Upper float64 `json:"upper_percent"`
}

// Samples returns how many independent terminations there are, and how many of them may have cost a request.
func (t Terminations) Samples() (n, lost int) {
	if t.ByNode || t.Pods == 0 {
		return t.Count, t.Lost
	}
	return t.Pods, t.PodsLost
}

// String returns a text such as "the ends of 4 pods (8 terminations, counted by node)".
func (t Terminations) String() string {
	text := "the end of 1 pod"
	if t.Pods != 1 {
		text = "the ends of " + phrase.Count(t.Pods, "pod")
	}
	if !t.ByNode {
		return text
	}
	return fmt.Sprintf("%s (%s, counted by node)", text, phrase.Count(t.Count, "termination"))
}

// NeededDrains is the distribution of needed_drain_ms over terminations, in milliseconds.
type NeededDrains struct {
	Terminations int     `json:"terminations"` // from nodes whose rules were observed
	P50          float64 `json:"p50"`
	Max          float64 `json:"max"`
	MaxCovers    float64 `json:"max_covers_percent"` // smallest share of all there could be that Max covers, at 95 % confidence
	// P95 covers 95 % of all there could be, at 95 % confidence; absent: fewer than 59 terminations cannot say.
	P95 *float64 `json:"p95,omitempty"`
	// Margin is the shortest time that a pod's process went on after a node's rules had left it out; absent: not seen.
	Margin *float64 `json:"margin,omitempty"`
}
