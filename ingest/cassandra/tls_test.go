package cassandra

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// wantsCertificate serves TLS to those with a certificate, refuses all others, does what then says with
// their connections and tells refused of each.
func wantsCertificate(t *testing.T, then func(*tls.Conn)) (address string, of *tls.Config, refused chan struct{}) {
	t.Helper()
	cert, key := pair(t)
	own, err := tls.X509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	known := x509.NewCertPool()
	known.AppendCertsFromPEM(cert)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	refused = make(chan struct{}, 1000)
	go func() {
		for {
			raw, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				c := tls.Server(raw, &tls.Config{Certificates: []tls.Certificate{own}, ClientAuth: tls.RequireAnyClientCert, MinVersion: tls.VersionTLS13})
				if err := c.Handshake(); err == nil {
					t.Error("got a client with a certificate")
				}
				then(c)
				refused <- struct{}{}
			}()
		}
	}()
	return l.Addr().String(), &tls.Config{RootCAs: known, MinVersion: tls.VersionTLS12}, refused
}

// The refusal and the driver's first request cross; whichever comes first, the server's words are told.
func TestServerThatWantsACertificateSaysSo(t *testing.T) {
	reset := func(c *tls.Conn) {
		_ = c.NetConn().(*net.TCPConn).SetLinger(0)
		_ = c.Close()
	}
	for name, then := range map[string]func(*tls.Conn){
		"and is gone":             func(c *tls.Conn) { _ = c.Close() },
		"and reads on":            func(c *tls.Conn) { _, _ = io.Copy(io.Discard, c.NetConn()); _ = c.Close() },
		"and resets what it sent": reset,
	} {
		t.Run(name, func(t *testing.T) {
			address, of, _ := wantsCertificate(t, then)
			c := &config{timeout: 10 * time.Second, tls: of}
			for range 20 {
				if _, err := c.dial(t.Context(), address); err == nil || !strings.Contains(err.Error(), "tls: certificate required") {
					t.Fatalf("got %v, want the server's words", err)
				}
			}
		})
	}
	t.Run("before the first request is written", func(t *testing.T) {
		address, of, refused := wantsCertificate(t, reset)
		plain, err := tls.Dial("tcp", address, of)
		if err != nil {
			t.Fatal(err)
		}
		d := &secureDialer{}
		c := &secureConn{plain, d}
		defer c.Close()
		<-refused
		for err == nil {
			_, err = c.Write([]byte("request"))
		}
		if got := d.why(err); !strings.Contains(got.Error(), "tls: certificate required") {
			t.Errorf("got %v, want the server's words", got)
		}
	})
}
