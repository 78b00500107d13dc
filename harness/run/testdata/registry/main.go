// Command registry is an image registry for a test: in memory, over TLS, gone with its container. It waits for its
// certificate, which names the address that the container was given. What is under private/ it gives to those only who
// name themselves as its arguments say: user and password.
package main

import (
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/registry"
)

const certificate, key = "/tls.crt", "/tls.key"

func main() {
	for _, file := range []string{certificate, key} {
		for _, err := os.Stat(file); err != nil; _, err = os.Stat(file) {
			time.Sleep(100 * time.Millisecond)
		}
	}
	// Without HTTP/2: this registry reads one layer at a time, and those that wait use up what a connection lets come.
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	server := &http.Server{Addr: ":5000", Handler: guarded(registry.New()), ReadHeaderTimeout: 10 * time.Second, Protocols: protocols}
	log.Fatal(server.ListenAndServeTLS(certificate, key))
}

func guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		if strings.HasPrefix(r.URL.Path, "/v2/private/") && (user != os.Args[1] || password != os.Args[2]) {
			w.Header().Set("WWW-Authenticate", `Basic realm="private"`)
			http.Error(w, `{"errors":[{"code":"UNAUTHORIZED"}]}`, http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}
