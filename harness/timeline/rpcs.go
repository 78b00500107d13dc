package timeline

import (
	"slices"

	"example.com/rollcall/harness/evidence"
)

// RPCTexts lists what the clients of some lanes read of RPCs that failed, the code and the text of a status, each once and the first first.
func (t Timeline) RPCTexts(lanes []string) (texts []string) {
	for _, e := range t.events {
		if e.Kind == evidence.RPCFailed && slices.Contains(lanes, e.Object) && !slices.Contains(texts, e.Detail) {
			texts = append(texts, e.Detail)
		}
	}
	return texts
}
