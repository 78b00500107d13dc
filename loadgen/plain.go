package loadgen

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"rollcall/harness/evidence"
)

// A plain sender writes a request, waits for its reply in the same goroutine, and never sends anything again. net/http
// spends as much on goroutines, contexts and channels per request as this does on all of it but the kernel's part.
type plain struct {
	address string
	keep    bool
	form    atomic.Pointer[form] // of all its requests, made from the first

	// Requests go round slots that keep one connection each: kube-proxy chooses a pod per connection. A request that
	// finds its slot empty, because the connection is busy or ended, dials.
	slots []atomic.Pointer[wire]
}

// newPlain makes the sender of a lane whose target is an http URL.
func newPlain(lane evidence.Lane, slots int) *plain {
	p := &plain{keep: lane.Kind().KeepsAlive(), slots: make([]atomic.Pointer[wire], slots)}
	if target, err := url.Parse(lane.Target); err == nil {
		p.address = net.JoinHostPort(target.Hostname(), cmp.Or(target.Port(), "80"))
	}
	return p
}

// send sends a request.
func (p *plain) send(req *http.Request, n uint64, deadline time.Time) (answer, via, error) {
	f, err := p.formOf(req)
	if err != nil {
		return answer{}, via{}, err
	}
	slot := &p.slots[n%uint64(len(p.slots))]
	w, how, err := p.connect(slot, deadline)
	if err != nil {
		return answer{}, how, err
	}
	r, last, err := w.exchange(f, req)
	how.died = w.died
	if err != nil || last || !p.keep || !slot.CompareAndSwap(nil, w) {
		w.close()
	}
	return r, how, err
}

func (p *plain) formOf(req *http.Request) (*form, error) {
	if f := p.form.Load(); f != nil {
		return f, nil
	}
	req.Close = !p.keep
	f, err := formOf(req)
	if err == nil {
		p.form.Store(f)
	}
	return f, err
}

// connect gives the slot's connection if it is alive, and else a new one.
func (p *plain) connect(slot *atomic.Pointer[wire], deadline time.Time) (*wire, via, error) {
	if w := slot.Swap(nil); w != nil {
		if w.conn.SetDeadline(deadline) == nil && w.quiet() {
			return w, via{attempts: 1, reused: true, localPort: localPort(w.conn)}, nil
		}
		w.close()
	}
	// No keep-alive probes: a connection is used again before the first is due, and each option is a system call.
	dialled, err := local.dial(context.Background(), net.Dialer{Deadline: deadline, KeepAlive: -1}, "tcp", p.address)
	if err != nil {
		var how via
		var undialled *dialError
		if errors.As(err, &undialled) {
			how.localPort = undialled.port
		}
		return nil, how, err
	}
	how := via{attempts: 1, localPort: localPort(dialled)}
	if err := dialled.SetDeadline(deadline); err != nil {
		dialled.Close()
		return nil, how, err
	}
	return newWire(dialled), how, nil
}

// close gives up the kept connections.
func (p *plain) close() {
	for i := range p.slots {
		if w := p.slots[i].Swap(nil); w != nil {
			w.close()
		}
	}
}
