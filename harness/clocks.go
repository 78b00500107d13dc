package harness

import "rollcall/harness/evidence"

// shareClocks gives each node whose clock was not read the readings of one that runs on the same boot of the
// same kernel, as all nodes of a kind cluster do: it has the same clock.
func shareClocks(readings []evidence.ClockReading, boots map[string]string) []evidence.ClockReading {
	read := map[string]bool{}
	byBoot := map[string][]evidence.ClockReading{}
	for _, r := range readings {
		read[r.Node] = true
		if boot := boots[r.Node]; boot != "" {
			byBoot[boot] = append(byBoot[boot], r)
		}
	}
	for node, boot := range boots {
		if read[node] {
			continue
		}
		for _, r := range byBoot[boot] {
			r.Node = node
			readings = append(readings, r)
		}
	}
	return readings
}
