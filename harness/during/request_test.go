package during

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/userapp"
	"example.com/rollcall/loadgen"
)

// file writes a new file and returns its path.
func file(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestRequests(t *testing.T) {
	t.Setenv("TOKEN", "open sesame")
	t.Setenv("EMPTY", "")
	empty := file(t, "\n")
	pattern := `release (\S+)`
	for _, row := range []struct {
		sentence string
		asks     Request
		writes   bool
		want     loadgen.UserHTTP // its statuses are not compared if none are given
		says     string
	}{
		{sentence: "nothing is said", want: loadgen.UserHTTP{Method: "GET"}},
		{sentence: "headers of all three ways", asks: Request{Host: "shop.test", Headers: []string{"X-Tenant=a=b", "Authorization=$TOKEN",
			"Cookie=@" + file(t, "c=d\n")}}, want: loadgen.UserHTTP{Method: "GET", Host: "shop.test",
			Headers: []loadgen.HeaderField{{Name: "X-Tenant", Value: "a=b"}, {Name: "Authorization", Value: "open sesame"},
				{Name: "Cookie", Value: "c=d"}}}},
		{sentence: "a request that writes", writes: true, asks: Request{Method: "POST", Body: "@" + file(t, "{}\n")},
			want: loadgen.UserHTTP{Method: "POST", Body: []byte("{}\n")}},
		{sentence: "statuses and where the version stands", asks: Request{GoodStatus: "200,404-405", VersionPattern: pattern},
			want: loadgen.UserHTTP{Method: "GET", Status: []int{200, 404, 405}, Pattern: pattern}},
		{sentence: "TLS", asks: Request{Secure: userapp.Secure{TLSMin: "1.3", ServerName: "shop.test"}},
			want: loadgen.UserHTTP{Method: "GET", TLS: &loadgen.TLS{MinVersion: tls.VersionTLS13, ServerName: "shop.test"}}},
		{sentence: "a request that writes without --allow=writes",
			asks: Request{Method: "DELETE"}, says: "--method=DELETE: it may change something: "},
		{sentence: "an unknown method", asks: Request{Method: "get"}, says: "--method=get: unknown method: use one of GET, "},
		{sentence: "a header without a value", asks: Request{Headers: []string{"X-Tenant"}}, says: "--header: one has no value: "},
		{sentence: "a secret that everybody would see", asks: Request{Headers: []string{"authorization=Basic c2VzYW1l"}},
			says: "--header=authorization: its value would stand in lists of processes and in the report: "},
		{sentence: "a variable that is not set", asks: Request{Headers: []string{"A=$NO_SUCH"}},
			says: "--header=A=$NO_SUCH: the environment variable NO_SUCH is not set, or is empty: "},
		{sentence: "one that is empty", asks: Request{Headers: []string{"A=$EMPTY"}},
			says: "--header=A=$EMPTY: the environment variable EMPTY is not set, or is empty: name a file or a variable with a value"},
		{sentence: "a file that is empty", asks: Request{Headers: []string{"A=@" + empty}}, says: "--header=A=@" + empty + ": file " + empty},
		{sentence: "a file that is not there", asks: Request{Headers: []string{"A=@none"}}, says: "--header=A=@none: none cannot be read: "},
		{sentence: "a header that Rollcall sets",
			asks: Request{Headers: []string{"Host=a"}}, says: "request: header Host: Rollcall sets this header itself: "},
		{sentence: "a body that is not a file", asks: Request{Body: "{}"}, says: "--body: it is not @ and a file: "},
		{sentence: "a range that begins after its end",
			asks: Request{GoodStatus: "399-200"}, says: `--good-status=399-200: "399-200" is not a status or range`},
		{sentence: "a status that never ends a reply", asks: Request{GoodStatus: "200,100-199"},
			says: "--good-status=200,100-199: no reply ends with status 100-199: another one follows it: write it like 200-299,404"},
		{sentence: "no status", asks: Request{GoodStatus: "200,"}, says: `--good-status=200,: "" is not a status or range`},
		{sentence: "an invalid JSON pointer", asks: Request{VersionPointer: "version"}, says: `request: pointer "version": it begins with /`},
		{sentence: "an invalid version of TLS", asks: Request{Secure: userapp.Secure{TLSMin: "1.4"}},
			says: "--tls-min=1.4: it is not a version"},
		{sentence: "an authority that is not there", asks: Request{Secure: userapp.Secure{CA: "none.pem"}},
			says: "--ca=none.pem: none.pem cannot be read: "},
		{sentence: "a certificate without its key", asks: Request{Secure: userapp.Secure{ClientCert: file(t, "x")}},
			says: "request: certificate of the client: "},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			got, err := row.asks.http(row.writes)
			if row.says != "" {
				if !usage.Is(err) || !strings.HasPrefix(err.Error(), row.says) || strings.Contains(err.Error(), "\n") ||
					strings.Contains(err.Error(), "c2VzYW1l") {
					t.Errorf("error %v, want %s", err, row.says)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if row.want.Status == nil {
				if n := len(got.Status); n != 100 || got.Status[0] != 200 || got.Status[99] != 299 {
					t.Errorf("statuses %v", got.Status)
				}
				got.Status = nil
			}
			if diff := cmp.Diff(&row.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestRequestsThatNobodySends(t *testing.T) {
	plain, secure := &userapp.ServiceName{}, &userapp.ServiceName{Name: "web", Scheme: "https"}
	const https = "https://shop.test/"
	for _, row := range []struct {
		sentence string
		asks     Request
		service  *userapp.ServiceName
		url      string
		says     string
	}{
		{"no option, and no Service or URL", Request{}, nil, "", ""},
		{"a header to our own app", Request{Headers: []string{"A=b"}}, nil, "",
			"--header: it has no effect here: give"},
		{"--connect-to for a Service", Request{ConnectTo: "a:1"}, plain, "", "--connect-to: "},
		{"--ca for plain HTTP", Request{Secure: userapp.Secure{CA: "a"}}, plain, "http://shop.test/", "--ca: "},
		{"--ca for https", Request{Secure: userapp.Secure{CA: "a"}}, plain, https, ""},
		{"--insecure for a Service over TLS", Request{Secure: userapp.Secure{Insecure: true}}, secure, "", ""},
		{"a Service over TLS that no client in a pod can trust", Request{}, secure, "", "--service=https:web: clients in pods know no"},
	} {
		err := row.asks.checkMeant(row.service, row.url)
		if (err == nil) != (row.says == "") || err != nil && (!usage.Is(err) || !strings.HasPrefix(err.Error(), row.says)) {
			t.Errorf("%s: %v, want %q", row.sentence, err, row.says)
		}
	}
}

// certificate returns a self-signed certificate, and its PEM.
func certificate(t *testing.T, name string, until time.Duration) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: time.Now().Add(until)}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key},
		file(t, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
}

// webServer serves, over TLS if that is configured, and returns host and port.
func webServer(t *testing.T, secured *tls.Config, reply http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewUnstartedServer(reply)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	if server.TLS = secured; secured == nil {
		server.Start()
	} else {
		server.StartTLS()
	}
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

// by returns a Request that trusts an authority.
func by(ca string) Request { return Request{Secure: userapp.Secure{CA: ca}} }

// What keeps every request to a URL from getting through is named before anything is made.
func TestURLsThatAreTried(t *testing.T) {
	module(t)
	good, trusted := certificate(t, "shop.test", time.Hour)
	expired, trustedToo := certificate(t, "shop.test", -time.Hour)
	shop, late := &tls.Config{Certificates: []tls.Certificate{good}}, &tls.Config{Certificates: []tls.Certificate{expired}}
	ok := func(http.ResponseWriter, *http.Request) {}
	for _, row := range []struct {
		sentence, url, at string
		asks              Request
		says              string
	}{
		{"a good one", "https://shop.test/", webServer(t, shop, ok), by(trusted), ""},
		{"a bad reply", "https://shop.test/", webServer(t, shop, http.NotFound), by(trusted), ""},
		{"an expired certificate", "https://shop.test/", webServer(t, late, ok), by(trustedToo), "its certificate has expired"},
		{"a certificate of another name", "https://cart.test/", webServer(t, shop, ok), by(trusted), "its certificate is for another name"},
		{"a certificate of the name in --server-name", "https://cart.test/", webServer(t, shop, ok),
			Request{Secure: userapp.Secure{CA: trusted, ServerName: "shop.test"}}, ""},
		{"a certificate of another authority",
			"https://shop.test/", webServer(t, shop, ok), by(trustedToo), "its certificate is of an authority"},
		{"an expired certificate with --insecure",
			"https://shop.test/", webServer(t, late, ok), Request{Secure: userapp.Secure{Insecure: true}}, ""},
		{"a reply that names no version", "https://shop.test/", webServer(t, shop, ok),
			Request{Secure: by(trusted).Secure, VersionHeader: "X-Version"},
			"its good reply names no version (the reply names no version where it should)"},
		{"plain HTTP", "https://shop.test/", webServer(t, nil, ok), Request{}, "its port speaks plain HTTP"},
		{"TLS where plain HTTP was asked for", "http://shop.test/", webServer(t, shop, ok), Request{},
			"its port speaks TLS (400 Bad Request): write https://"},
		{"a port that takes connections and may answer later, such as before the load",
			"https://shop.test/", silent(t), Request{}, ""},
		{"a port where nothing listens", "https://shop.test/", refusing(t), Request{}, "connection refused"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			row.asks.ConnectTo = row.at
			_, err := Options{URL: row.url, Request: row.asks}.prepare()
			says := "--url=" + row.url + ": " + row.says
			if row.says == "" && err != nil || row.says != "" && (!usage.Is(err) || !strings.HasPrefix(err.Error(), says) ||
				strings.Contains(err.Error(), "\n")) {
				t.Errorf("%v, want %q", err, row.says)
			}
		})
	}
}

// both returns the content of two files.
func both(t *testing.T, files ...string) (text string) {
	t.Helper()
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text += string(data)
	}
	return text
}
