// Package live shows a run that is under way to a browser on this host: its status, and the page of each scenario that ended, drawn from
// the evidence on request. It answers this host alone, and only reads.
package live

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"golang.org/x/net/netutil"

	"example.com/rollcall/harness/progress"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/page"
)

// AnyPort has the kernel choose a port.
const AnyPort = "0"

// connections is how many connections may be open at a time.
const connections = 16

// A Server shows a run folder on a port of 127.0.0.1.
type Server struct {
	listener net.Listener
	http     http.Server
	files    *os.Root // the run folder; nil before Show
}

// Listen opens a port. Nobody is answered on it before Show.
func Listen(port string) (*Server, error) {
	listener, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", port))
	if err != nil {
		return nil, err
	}
	return &Server{listener: netutil.LimitListener(listener, connections)}, nil
}

// URL returns the address of the server.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() + "/" }

// Show shows a run folder, until Close.
func (s *Server) Show(folder string) (err error) {
	if s.files, err = os.OpenRoot(folder); err != nil {
		return err
	}
	s.http = http.Server{Handler: Handler(folder, s.files), ReadTimeout: readTimeout, WriteTimeout: writeTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: 1 << 14}
	go func() { _ = s.http.Serve(s.listener) }() // it ends with Close
	return nil
}

// Close ends all connections.
func (s *Server) Close() error {
	if s.files == nil {
		return s.listener.Close()
	}
	return errors.Join(s.http.Close(), s.files.Close())
}

// Handler shows the run in a folder, and the folder's files: no link leads out of it.
func Handler(folder string, files *os.Root) http.Handler {
	shown := &run{folder: folder}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", shown.status)
	mux.HandleFunc("GET /scenario", shown.scenario)
	mux.Handle("GET /", http.FileServerFS(files.FS()))
	return local(mux)
}

// local refuses requests that name another host: a page from elsewhere may have its own name resolve to this host (DNS rebinding).
func local(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		if host != "127.0.0.1" && host != "localhost" {
			http.Error(w, "ask for 127.0.0.1", http.StatusForbidden)
			return
		}
		head := w.Header()
		head.Set("Cache-Control", "no-store")
		head.Set("Cross-Origin-Resource-Policy", "same-origin")
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("X-Frame-Options", "DENY")
		next.ServeHTTP(w, r)
	})
}

// A run is the run that is shown.
type run struct {
	folder  string
	drawing sync.Mutex // one page at a time: the run needs this host's processors
}

func (s *run) status(w http.ResponseWriter, _ *http.Request) {
	now, err := progress.Current(filepath.Join(s.folder, progress.File))
	var b bytes.Buffer
	if err == nil {
		err = page.Live(&b, now, filepath.Join(s.folder, page.New(s.folder).File().Name))
	}
	answer(w, b.Bytes(), err)
}

// scenario draws the page of a scenario that ended, by its name as MODE/SUITE/ID.
func (s *run) scenario(w http.ResponseWriter, r *http.Request) {
	now, err := progress.Read(filepath.Join(s.folder, progress.File))
	of := r.FormValue("of")
	i := slices.IndexFunc(now.Ended, func(e progress.Ended) bool { return of == e.Mode+"/"+e.Suite+"/"+e.Scenario })
	if err != nil || i < 0 {
		http.Error(w, fmt.Sprintf("no scenario %q has ended", of), http.StatusNotFound)
		return
	}
	s.drawing.Lock()
	defer s.drawing.Unlock()
	var b bytes.Buffer
	e, drawn := now.Ended[i], page.New(s.folder)
	report, err := reports.LoadScenario(s.folder, e.Mode, e.Suite, e.Scenario, drawn)
	if err == nil {
		err = drawn.Write(&b, report)
	}
	answer(w, b.Bytes(), err)
}

func answer(w http.ResponseWriter, html []byte, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(html) // the browser may be gone
}
