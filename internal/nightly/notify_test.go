package nightly

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/report"
)

// receiver gives the URL of a local service; secret stands in its path.
func receiver(t *testing.T, answer http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(func() {
		s.CloseClientConnections() // ends those that never answer
		s.Close()
	})
	return "generic+" + s.URL + "/s3cret"
}

// patience is how long a service that answers may take on a loaded machine.
const patience = time.Minute

func noWait() func(context.Context, time.Duration) { return func(context.Context, time.Duration) {} }

func TestReceivers(t *testing.T) {
	garbage := func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		io.WriteString(conn, "\x00\xff garbage\r\n\r\n")
		conn.Close()
	}
	never := func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // else the server does not see that the other end is gone
		<-r.Context().Done()
	}
	var failures atomic.Int32
	for name, tc := range map[string]struct {
		answer  http.HandlerFunc
		timeout time.Duration
		want    string
	}{
		"one that takes it": {func(http.ResponseWriter, *http.Request) {}, patience, ""},
		"one that fails":    {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }, patience, "the service answered with status 503 (tried 3 times)"},
		"one that fails at first": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader([]int{500, 500, 200}[min(failures.Add(1)-1, 2)])
		}, patience, ""},
		"one that never answers":      {never, 200 * time.Millisecond, "the service did not answer in time (tried 3 times)"},
		"one that answers in garbage": {garbage, patience, "the service answered with what is no HTTP (tried 3 times)"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Runner{Send: Sender{Send: Shout(tc.timeout), Wait: noWait()}}
			got := ""
			if err := r.send(t.Context(), &Target{URL: receiver(t, tc.answer)}, "text"); err != nil {
				got = err.Error()
			}
			if got != tc.want || strings.Contains(got, "s3cret") {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestAReceiverThatIsNotThere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := fmt.Sprintf("generic+http://%s/s3cret", l.Addr())
	l.Close()
	if err := Shout(patience)(t.Context(), &Target{URL: url}, "text"); err == nil || err.Error() != "no connection to the service" {
		t.Errorf("got %v", err)
	}
}

func TestEachIsToldOfItsOwnTablesInMasks(t *testing.T) {
	all, shop := &Target{Name: "all"}, &Target{Name: "shop", ShowKeys: true, MinSeverity: detect.Medium}
	j := &Job{Name: "job", Notify: []*Target{all}, Owners: []Owner{{"team", []string{"shop.*"}, []*Target{shop}}, {"silent", []string{"log.*"}, nil}}}
	night := aNight("2026-06-01")
	for i, f := range []struct {
		table string
		s     detect.Severity
	}{{"shop.orders", detect.High}, {"shop.carts", detect.Low}, {"log.lines", detect.High}, {"other", detect.High}} {
		subject := detect.Subject{Target: detect.Target{Table: f.table}, Key: []byte("user<1>\x1b@here"), HasKey: true}
		night.Digest.Findings = append(night.Digest.Findings, report.Finding{ID: fmt.Sprint(i), Finding: detect.Finding{Rule: "hot-partition", Severity: f.s, Subject: subject}})
	}
	r := &Runner{Mask: func([]byte) []byte { return []byte("MASK") }}
	for to, want := range map[*Target][]string{all: {"log.lines MASK", "other MASK", "owner silent"}, shop: {`shop.orders user‹1›\x1b＠here`, "owner team"}} {
		got := r.messageFor(j, to, []*Night{night}, "dir")
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("%s: %q lacks %q", to.Name, got, w)
			}
		}
		if n := strings.Count(got, "\nNEW "); n != map[*Target]int{all: 2, shop: 1}[to] {
			t.Errorf("%s is told %d findings: %s", to.Name, n, got)
		}
	}
	r.Mask = nil
	if got := r.messageFor(j, all, []*Night{night}, "dir"); !strings.Contains(got, "other ####:") || strings.Contains(got, "user") {
		t.Errorf("without a secret: %s", got)
	}
}

// mailServer takes one mail by SMTP and hands it to the channel.
func mailServer(t *testing.T) (address string, mails chan string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	mails = make(chan string, 1)
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		io.WriteString(conn, "220 local\r\n")
		mail, body := strings.Builder{}, false
		for in := bufio.NewScanner(conn); in.Scan(); {
			line := in.Text()
			switch {
			case body && line == ".":
				body = false
				mails <- mail.String()
				io.WriteString(conn, "250 taken\r\n")
			case body:
				mail.WriteString(line + "\n")
			case strings.HasPrefix(line, "DATA"):
				body = true
				io.WriteString(conn, "354 go on\r\n")
			case strings.HasPrefix(line, "QUIT"):
				io.WriteString(conn, "221 bye\r\n")
				return
			default:
				io.WriteString(conn, "250 local\r\n")
			}
		}
	}()
	return l.Addr().String(), mails
}

func TestAMailIsTaken(t *testing.T) {
	address, mails := mailServer(t)
	url := "smtp://" + address + "/?from=keyheat@example.org&to=team@example.org&auth=None&encryption=None&usestarttls=No"
	if err := Shout(patience)(t.Context(), &Target{URL: url}, "NEW  orders ####: hot-partition"); err != nil {
		t.Fatal(err)
	}
	if mail := <-mails; !strings.Contains(mail, "NEW  orders ####: hot-partition") || !strings.Contains(mail, "team@example.org") {
		t.Errorf("got %q", mail)
	}
}
