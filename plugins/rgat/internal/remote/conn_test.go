package remote

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"
)

// saying is a server that answers the first command with these bytes, and no other.
func saying(t *testing.T, reply string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				_, _ = c.Read(make([]byte, 4096))
				_, _ = io.WriteString(c, reply)
				_, _ = io.Copy(io.Discard, c)
			}()
		}
	}()
	return "redis://" + l.Addr().String()
}

// TestHostileReplies lets a server answer what no server of Redis does: it is an error that names the server, and costs
// no more memory than the answer that is wanted.
func TestHostileReplies(t *testing.T) {
	for name, c := range map[string]struct{ reply, want string }{
		"a string of terabytes":      {"$9999999999999\r\n", "it answers with 9999999999999 bytes, want at most 256"},
		"one as long as a number is": {"$9223372036854775807\r\n", "want at most 256"},
		"one that is longer still":   {"$99999999999999999999\r\n", `of length "99999999999999999999"`},
		"a negative length":          {"$-2\r\n", `of length "-2"`},
		"a list of a billion":        {"*1000000000\r\n", `it answers "*"`},
		"lists in lists":             {strings.Repeat("*1\r\n", 1<<20), `it answers "*"`},
		"a line without an end":      {"+" + strings.Repeat("x", 1<<20), "a line of more than 262144 bytes"},
		"a long word":                {"+" + strings.Repeat("x", 300) + "\r\n", "want at most 256 bytes"},
		"an error of 100 KB":         {"-" + strings.Repeat("x", 100_000) + "\r\n", `xxx"...`},
		"no line's end":              {"$3\r\nabcdef", `"de" follows a string of 3 bytes`},
		"a bare newline":             {"+PONG\n", "no line of Redis's protocol"},
		"nothing but an end":         {"\r\n", "no line of Redis's protocol"},
		"another protocol":           {"HTTP/1.1 400 Bad Request\r\n", `it answers "H"`},
		"a map of RESP 3":            {"%1\r\n", `it answers "%"`},
	} {
		t.Run(name, func(t *testing.T) {
			dir, url := t.TempDir(), saying(t, c.reply)
			p := storeLocation{fileFormat, "N", []string{url}, newCounted().nodes, width, 64}
			if err := p.saveFile(dir); err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Open(t.Context(), dir)
			runtime.ReadMemStats(&after)
			wantError(t, err, "server "+strings.TrimPrefix(url, "redis://"), c.want)
			if err != nil && len(err.Error()) > 1000 {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
			if grown := after.TotalAlloc - before.TotalAlloc; grown > 16<<20 {
				t.Errorf("%d bytes of memory for it", grown)
			}
		})
	}
}

// TestAServerThatHangsUp closes the connection in the middle of an answer.
func TestAServerThatHangsUp(t *testing.T) {
	client, server := net.Pipe()
	go func() {
		_, _ = io.WriteString(server, "$10\r\nabc")
		_ = server.Close()
	}()
	if _, err := newConn(client).readReply(make([]byte, 10)); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error %v", err)
	}
}

// TestAddresses: who and what a connection begins with.
func TestAddresses(t *testing.T) {
	for address, want := range map[string]string{
		"redis://h":               "h:6379 []",
		"redis://h:7/":            "h:7 []",
		"redis://:p@h":            "h:6379 [[AUTH p]]",
		"redis://p@h":             "h:6379 [[AUTH p]]",
		"rediss://u:p@[::1]:7/12": "[::1]:7 [[AUTH u p] [SELECT 12]]",
		"redis://[::1]":           "[::1]:6379 []",
	} {
		s, err := newRedisServer(address)
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		got := fmt.Sprint(s.address, " ", s.greeting)
		if got != want || (s.tls != nil) != strings.HasPrefix(address, "rediss") {
			t.Errorf("%s: %s, TLS %v; want %s", address, got, s.tls != nil, want)
		}
	}
	for _, address := range []string{"redis://h/x", "redis://h/1/2", "redis://h/-1", "h:1", "http://h", "redis://"} {
		if _, err := newRedisServer(address); err == nil {
			t.Errorf("%s is an address", address)
		}
	}
}

// FuzzReply holds: whatever a server sends, a reply is an error, or has as many bytes as there is room for at most.
func FuzzReply(f *testing.F) {
	for _, reply := range []string{"+OK\r\n", ":1\r\n", "-ERR x\r\n", "$3\r\nabc\r\n", "$-1\r\n", "$0\r\n\r\n", "*1\r\n"} {
		f.Add([]byte(reply), 3)
	}
	f.Fuzz(func(t *testing.T, said []byte, room int) {
		room = min(max(room, 0), 1<<10)
		c := newConn(read{bytes.NewReader(said)})
		for range 3 {
			n, err := c.readReply(make([]byte, room))
			if n < 0 || n > room || err != nil && err.Error() == "" {
				t.Errorf("%d bytes of %d, %v", n, room, err)
			}
		}
	})
}

// read is a connection that is only read from.
type read struct{ io.Reader }

func (read) Write(p []byte) (int, error)      { return len(p), nil }
func (read) Close() error                     { return nil }
func (read) LocalAddr() net.Addr              { return nil }
func (read) RemoteAddr() net.Addr             { return nil }
func (read) SetDeadline(time.Time) error      { return nil }
func (read) SetReadDeadline(time.Time) error  { return nil }
func (read) SetWriteDeadline(time.Time) error { return nil }
