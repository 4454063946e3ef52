package cassandra

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/keyheat/keyheat/ingest"
)

// pair gives a certificate of 127.0.0.1 and its key, as files hold them.
func pair(t *testing.T) (cert, key []byte) {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &secret.PublicKey, secret)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalECPrivateKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: raw})
}

func TestConfigOfURLs(t *testing.T) {
	cert, key := pair(t)
	files := map[string][]byte{"/secret": []byte("from file\n"), "/ca": cert, "/cert": cert, "/key": key, "/text": []byte("no certificate")}
	tests := map[string]struct {
		url      string
		password string // of the environment
		want     string // of the error; empty: none
		check    func(c *config) bool
	}{
		"host alone":              {"cassandra://db1", "", "", func(c *config) bool { return c.address == "db1:9042" && c.interval == 15*time.Second && c.tls == nil }},
		"IPv6 and a port":         {"scylla://[::1]:19042", "", "", func(c *config) bool { return c.address == "[::1]:19042" && c.scheme == "scylla" }},
		"keyspace and table":      {"cassandra://db1/shop.carts", "", "", func(c *config) bool { return c.wants("shop.carts") && !c.wants("shop.jobs") && c.wants("carts") }},
		"keyspace":                {"cassandra://db1/shop", "", "", func(c *config) bool { return c.wants("shop.carts") && !c.wants("bank.carts") }},
		"durations":               {"cassandra://db1?interval=3s&since=0s&timeout=2s", "", "", func(c *config) bool { return c.interval == 3*time.Second && c.since == 0 && c.timeout == 2*time.Second }},
		"password of environment": {"cassandra://app@db1", "hidden", "", func(c *config) bool { return c.user == "app" && c.password == "hidden" }},
		"password of a file":      {"cassandra://app@db1?password-file=/secret", "hidden", "", func(c *config) bool { return c.password == "from file" }},
		"authority and certificate": {"cassandra://db1?ca=/ca&cert=/cert&key=/key", "", "", func(c *config) bool {
			return c.tls.RootCAs != nil && len(c.tls.Certificates) == 1 && !c.tls.InsecureSkipVerify
		}},
		"TLS with the system's authorities": {"cassandra://db1?tls=true", "", "", func(c *config) bool { return c.tls != nil && c.tls.RootCAs == nil }},

		"no host":                  {"cassandra:///shop", "", "no host: ", nil},
		"password in the URL":      {"cassandra://app:hunter2@db1", "", "a password in the URL is shown to whoever lists processes", nil},
		"user without a password":  {"cassandra://app@db1", "", "no password for app: set KEYHEAT_CASSANDRA_PASSWORD", nil},
		"unknown parameter":        {"cassandra://db1?intervall=3s", "", "unknown parameter intervall", nil},
		"interval too short":       {"cassandra://db1?interval=10ms", "", "interval 10ms: must be a duration of at least 1s", nil},
		"no duration":              {"cassandra://db1?since=yesterday", "", "since yesterday: must be a duration", nil},
		"path of two parts":        {"cassandra://db1/shop/carts", "", "shop/carts: must be keyspace or keyspace.table", nil},
		"certificate without key":  {"cassandra://db1?cert=/cert", "", "cert and key: one needs the other", nil},
		"authority is none":        {"cassandra://db1?ca=/text", "", "ca: /text holds no certificate", nil},
		"password file not there":  {"cassandra://app@db1?password-file=/none", "", "password-file: no such file", nil},
		"switch that is no switch": {"cassandra://db1?tls=no", "", "tls no: must be true", nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			u, err := url.Parse(tc.url)
			if err != nil {
				t.Fatal(err)
			}
			c, err := configOf(u, &ingest.LiveOptions{
				Getenv: func(name string) string {
					if name == PasswordEnv {
						return tc.password
					}
					return ""
				},
				ReadFile: func(name string) ([]byte, error) {
					if text, ok := files[name]; ok {
						return text, nil
					}
					return nil, errors.New("no such file")
				},
			})
			switch {
			case tc.want == "" && err != nil:
				t.Fatal(err)
			case tc.want == "" && !tc.check(c):
				t.Errorf("got %+v", c)
			case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
				t.Errorf("error %v, want %s", err, tc.want)
			case err != nil && strings.Contains(err.Error(), "hunter2"):
				t.Errorf("the error shows the password: %v", err)
			}
		})
	}
}

func TestEveryFaultOfAURLIsTold(t *testing.T) {
	u, err := url.Parse("cassandra://app:x@db1?interval=1ms&colour=red&key=/key")
	if err != nil {
		t.Fatal(err)
	}
	_, err = configOf(u, &ingest.LiveOptions{Getenv: func(string) string { return "" }})
	for _, want := range []string{"password in the URL", "interval 1ms", "unknown parameter colour", "cert and key"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want also %s", err, want)
		}
	}
}
