package record

import (
	"context"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/rollcall/harness/evidence"
)

func TestNamesThatClientsOutsideAskFor(t *testing.T) {
	gone := &net.DNSError{Err: "no such host", Name: "shop.example.com", IsNotFound: true}
	const one, two = "192.0.2.1", "192.0.2.2"
	for _, row := range []struct {
		sentence string
		said     []any // each second: addresses, or why there are none
		want     []string
	}{
		{"nothing changes", []any{one, one}, nil},
		{"the order of addresses does not count", []any{one + " " + two, two + " " + one}, nil},
		{"a balancer gets another address", []any{one, two, two},
			[]string{"1s shop.example.com has address 192.0.2.2, before 192.0.2.1"}},
		{"and the first one again", []any{one, two, one},
			[]string{"1s shop.example.com has address 192.0.2.2, before 192.0.2.1", "2s shop.example.com has address 192.0.2.1, before 192.0.2.2"}},
		{"the resolver goes away for 8 s", []any{one, gone, gone, gone, gone, gone, gone, gone, gone, one},
			[]string{"1s this host cannot resolve shop.example.com: no such host", "9s this host resolves shop.example.com again"}},
		{"it comes back with another address", []any{one, gone, two}, []string{"1s this host cannot resolve shop.example.com: no such host",
			"2s this host resolves shop.example.com again", "2s shop.example.com has address 192.0.2.2, before 192.0.2.1"}},
		{"a resolver that does not answer cannot resolve the name", []any{one, nil, one},
			[]string{"3s this host cannot resolve shop.example.com: its resolver does not answer", "4s this host resolves shop.example.com again"}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				var told []string
				said := row.said
				look := func(ctx context.Context, name string) ([]string, error) {
					if name != "shop.example.com" {
						t.Errorf("%s is asked for", name)
					}
					now := said[0]
					said = said[min(1, len(said)-1):]
					switch now := now.(type) {
					case string:
						return strings.Fields(now), nil
					case error:
						return nil, now
					default:
						<-ctx.Done()
						return nil, ctx.Err()
					}
				}
				stop := followNames(t.Context(), []evidence.Lane{
					{Vantage: evidence.FromHost, Target: "https://shop.example.com/healthz"},
					{Vantage: evidence.FromHost, Target: "https://shop.example.com/healthz", Conn: evidence.Reused},
					{Vantage: evidence.FromHost, Target: "http://192.0.2.7/"},
					{Vantage: evidence.FromPod, Target: "http://web.shop.svc.cluster.local./"},
				}, look, func(e evidence.Event) {
					if e.Kind != evidence.NameChanged || e.Object != "shop.example.com" {
						t.Errorf("event %+v", e)
					}
					told = append(told, time.Since(began).String()+" "+e.Detail)
				})
				time.Sleep(15 * time.Second) // of fake time
				stop()
				if got, want := strings.Join(told, "\n"), strings.Join(row.want, "\n"); got != want {
					t.Errorf("told\n%s\nwant\n%s", got, want)
				}
			})
		})
	}
}
