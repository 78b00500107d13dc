package evidence

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

// A field that AppendJSON leaves out fails this: rapid sets each.
func TestAppendJSONIsJSONMarshal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := rapid.Make[Hit]().Draw(t, "hit")
		if rapid.Bool().Draw(t, "no server") {
			h.By = Server{}
		}
		want, err := json.Marshal(h)
		if err != nil {
			t.Fatal(err)
		}
		if got := h.AppendJSON([]byte("before ")); string(got) != "before "+string(want) {
			t.Fatalf("got %s\nwant %s", got[len("before "):], want)
		}
	})
}

// BenchmarkAppendJSON encodes the hit of a message, as the log of an agent has it.
func BenchmarkAppendJSON(b *testing.B) {
	h := Hit{Lane: "worker-websocket", Seq: 4711, Due: 47_110_000_000, Sent: 47_110_081_234, Took: 812_345,
		By: Server{Version: "v1", Pod: "shop-v1-6d4cf56db6-9bmlq", Node: "rollcall-iptables-worker"}, Attempts: 1, LocalPort: 45678, Reused: true,
		Connection: 3}
	b.Run("AppendJSON", func(b *testing.B) {
		for text := []byte(nil); b.Loop(); {
			text = h.AppendJSON(text[:0])
		}
	})
	b.Run("json.Marshal", func(b *testing.B) {
		for b.Loop() {
			if _, err := json.Marshal(h); err != nil {
				b.Fatal(err)
			}
		}
	})
}
