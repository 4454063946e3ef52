package cassandra

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// writePEMs writes an authority, and certificates of a server and of a client with their keys.
func writePEMs(dir string) error {
	authority := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, NotAfter: time.Now().Add(24 * time.Hour), IsCA: true,
		BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature}
	secret, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	sign := func(name string, of *x509.Certificate, key *rsa.PrivateKey) error {
		der, err := x509.CreateCertificate(rand.Reader, of, authority, &key.PublicKey, secret)
		if err != nil {
			return err
		}
		raw, err := x509.MarshalPKCS8PrivateKey(key)
		if err != nil {
			return err
		}
		cert, private := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw})
		for file, text := range map[string][]byte{".crt": cert, ".key": private, ".pem": append(slices.Clone(private), cert...)} {
			if err := os.WriteFile(filepath.Join(dir, name+file), text, 0o600); err != nil {
				return err
			}
		}
		return nil
	}
	if err := sign("authority", authority, secret); err != nil {
		return err
	}
	for i, name := range []string{"server", "client"} {
		key, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			return err
		}
		of := &x509.Certificate{SerialNumber: big.NewInt(int64(i + 2)), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(24 * time.Hour),
			IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
		if err := sign(name, of, key); err != nil {
			return err
		}
	}
	return nil
}

// encryption lets clients choose TLS, for which they need a certificate.
func encryption(dir string) setting {
	return setting{"client_encryption_options", fmt.Sprintf(
		"{enabled: true, optional: true, require_client_auth: true, keystore: %[1]s/server.pem, truststore: %[1]s/authority.crt, "+
			"ssl_context_factory: {class_name: org.apache.cassandra.security.PEMBasedSslContextFactory}}", dir)}
}

func TestTLSWithAClientsCertificate(t *testing.T) {
	n := theNode(t)
	connect(t, n.address(), superuser) // the role is there
	file := func(name string) string { return filepath.Join(shared.dir, name) }
	tests := map[string]struct{ query, want string }{
		"with the client's certificate": {"ca=" + file("authority.crt") + "&cert=" + file("client.crt") + "&key=" + file("client.key"), ""},
		"without it the server refuses": {"ca=" + file("authority.crt"), "tls: certificate required"},
		"a server that is not known":    {"ca=" + file("client.crt") + "&cert=" + file("client.crt") + "&key=" + file("client.key"), "certificate signed by unknown authority"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), keyheat(t), "doctor", "cassandra://cassandra@"+n.address()+"?"+tc.query)
			cmd.Env = append(os.Environ(), "KEYHEAT_CASSANDRA_PASSWORD=cassandra")
			out, err := cmd.CombinedOutput()
			if tc.want == "" && (err != nil || !strings.Contains(string(out), "permissions  enough")) {
				t.Errorf("%v\n%s", err, out)
			}
			if tc.want != "" && (err == nil || !strings.Contains(string(out), tc.want)) {
				t.Errorf("%v, want %q\n%s", err, tc.want, out)
			}
		})
	}
}

// A stall is a way to a server that can be made to pass nothing on, as a slow server does.
type stall struct {
	net.Listener
	stopped atomic.Bool
	used    chan struct{} // closed when the first client is there
}

func newStall(t *testing.T, to string) *stall {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &stall{Listener: l, used: make(chan struct{})}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for first := true; ; first = false {
			client, err := l.Accept()
			if err != nil {
				return
			}
			if first {
				close(s.used)
			}
			server, err := net.Dial("tcp", to)
			if err != nil {
				_ = client.Close()
				continue
			}
			go s.pass(server, client)
			go s.pass(client, server)
		}
	}()
	return s
}

// pass hands bytes on while the way is open.
func (s *stall) pass(to, from net.Conn) {
	defer to.Close()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		for s.stopped.Load() {
			time.Sleep(50 * time.Millisecond)
		}
		if err != nil {
			return
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			_, _ = io.Copy(io.Discard, from)
			return
		}
	}
}

func TestASlowServerIsAskedAgain(t *testing.T) {
	n := theNode(t)
	way := newStall(t, n.address())
	cmd := exec.CommandContext(t.Context(), keyheat(t), "analyze", "--format", "json", "--for", "20s", "--load-limit", "2000", "cassandra://cassandra@"+way.Addr().String()+"?interval=1s&timeout=2s&since=1s") // not what other tests traced
	cmd.Env = append(os.Environ(), "KEYHEAT_CASSANDRA_PASSWORD=cassandra")
	go func() { // a loaded machine starts it late
		select {
		case <-way.used:
			time.AfterFunc(6*time.Second, func() { way.stopped.Store(true) })
			time.AfterFunc(12*time.Second, func() { way.stopped.Store(false) })
		case <-t.Context().Done():
		}
	}()
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("%v: the server answered again before the end", err)
	}
	// Whether traces were asked for in that time follows from how long the look before took.
	for _, want := range []string{"127.0.0.1 could not be read for a time", "127.0.0.1 was read again"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no note %q", want)
		}
	}
}
