// Command registry is an image registry for a test: in memory, over TLS, gone with its container. It waits for its
// certificate, which names the address that the container was given.
package main

import (
	"log"
	"net/http"
	"os"
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
	server := &http.Server{Addr: ":5000", Handler: registry.New(), ReadHeaderTimeout: 10 * time.Second, Protocols: protocols}
	log.Fatal(server.ListenAndServeTLS(certificate, key))
}
