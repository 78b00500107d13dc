// Command ingress is a reverse proxy for a test: on a node, it leads requests on to a Service, whose address it asks the
// cluster's name server for. Its arguments are where it listens, that name server and the Service's URL.
package main

import (
	"context"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"time"
)

func main() {
	listen, names := os.Args[1], os.Args[2]
	service, err := url.Parse(os.Args[3])
	if err != nil {
		log.Fatal(err)
	}
	var plain net.Dialer
	byName := net.Dialer{Resolver: &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return plain.DialContext(ctx, network, names)
	}}}
	proxy := httputil.NewSingleHostReverseProxy(service)
	proxy.Transport = &http.Transport{DialContext: byName.DialContext, DisableKeepAlives: true}
	server := &http.Server{Addr: listen, Handler: proxy, ReadHeaderTimeout: 10 * time.Second}
	log.Fatal(server.ListenAndServe())
}
