package pgvector

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgxpool"
)

// clean is an environment in which no variable of PostgreSQL's clients is set.
func clean(t *testing.T) {
	t.Helper()
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "PG") {
			t.Setenv(name, "")
			if err := os.Unsetenv(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Setenv("HOME", t.TempDir()) // no password file either
}

// TestWays: for each host there is no way without TLS beside one with it.
func TestWays(t *testing.T) {
	clean(t)
	for address, want := range map[string]string{
		"postgres://a@h/d":                             "h:tls",
		"postgres://a@127.0.0.1/d":                     "127.0.0.1:tls",
		"postgres://a@h,i/d":                           "h:tls i:tls",
		"postgres://a@h/d?sslmode=prefer":              "h:tls",
		"postgres://a@h/d?sslmode=allow":               "h:tls",
		"postgres://a@h/d?sslmode=require":             "h:tls",
		"postgres://a@h/d?sslmode=verify-full":         "h:tls",
		"postgres://a@h/d?sslmode=disable":             "h:clear",
		"postgres://a@h,i/d?sslmode=disable":           "h:clear i:clear",
		"host=h user=a dbname=d":                       "h:tls",
		"host=h user=a dbname=d sslmode=disable":       "h:clear",
		"host=/run/postgresql user=a dbname=d":         "/run/postgresql:clear",
		"host=/run/postgresql,h user=a dbname=d":       "/run/postgresql:clear h:tls",
		"postgres:///d?host=/run/postgresql&user=a":    "/run/postgresql:clear",
		"postgres://a@h:1,h:2/d?sslmode=prefer":        "h:tls h:tls",
		"postgres://a@h/d?sslmode=prefer&sslrootcert=": "h:tls",
	} {
		c, err := pgxpool.ParseConfig(address)
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		dropPlaintextFallbacks(&c.ConnConfig.Config)
		var got []string
		way := func(host string, secure bool) {
			kind := "clear"
			if secure {
				kind = "tls"
			}
			got = append(got, host+":"+kind)
		}
		way(c.ConnConfig.Host, c.ConnConfig.TLSConfig != nil)
		for _, f := range c.ConnConfig.Fallbacks {
			way(f.Host, f.TLSConfig != nil)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", address, got, want)
		}
	}
}

// asks is a server without TLS that wants a password in clear, and passes on what it is told.
func asks(said chan<- string) func(net.Conn) {
	return func(c net.Conn) {
		b := pgproto3.NewBackend(c, c)
		for {
			m, err := b.ReceiveStartupMessage()
			if err != nil {
				return
			}
			if _, is := m.(*pgproto3.SSLRequest); is {
				if _, err := c.Write([]byte("N")); err != nil {
					return
				}
				continue
			}
			break
		}
		b.Send(&pgproto3.AuthenticationCleartextPassword{})
		if b.Flush() != nil {
			return
		}
		_ = b.SetAuthType(pgproto3.AuthTypeCleartextPassword)
		m, err := b.Receive()
		if p, is := m.(*pgproto3.PasswordMessage); err == nil && is {
			said <- p.Password
		}
		_ = c.Close()
	}
}

// TestPasswords: one goes to a server without TLS only where sslmode=disable says so, wherever either is said.
func TestPasswords(t *testing.T) {
	for name, x := range map[string]struct {
		query string
		env   map[string]string
		want  string // empty: nothing is sent
	}{
		"nothing said":              {"", map[string]string{"PGPASSWORD": "hunter2"}, ""},
		"prefer":                    {"?sslmode=prefer", map[string]string{"PGPASSWORD": "hunter2"}, ""},
		"allow":                     {"?sslmode=allow", map[string]string{"PGPASSWORD": "hunter2"}, ""},
		"require":                   {"?sslmode=require", map[string]string{"PGPASSWORD": "hunter2"}, ""},
		"prefer by a variable":      {"", map[string]string{"PGPASSWORD": "hunter2", "PGSSLMODE": "prefer"}, ""},
		"a file, nothing said":      {"", map[string]string{"PGPASSFILE": "hunter2"}, ""},
		"disabled":                  {"?sslmode=disable", map[string]string{"PGPASSWORD": "hunter2"}, "hunter2"},
		"disabled by a variable":    {"", map[string]string{"PGPASSWORD": "hunter2", "PGSSLMODE": "disable"}, "hunter2"},
		"a file, disabled":          {"?sslmode=disable", map[string]string{"PGPASSFILE": "hunter3"}, "hunter3"},
		"the address has one":       {"?sslmode=disable&password=hunter4", map[string]string{"PGPASSWORD": "no"}, "hunter4"},
		"the address, nothing said": {"?password=hunter4", nil, ""},
	} {
		clean(t)
		said := make(chan string, 4)
		at := listen(t, asks(said))
		for variable, value := range x.env {
			if variable == "PGPASSFILE" {
				path := filepath.Join(t.TempDir(), "pass")
				if err := os.WriteFile(path, []byte("*:*:*:*:"+value+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
				value = path
			}
			t.Setenv(variable, value)
		}
		_, err := Open(context.Background(), "postgres://me@"+at+"/all"+x.query, 10*time.Second, 1)
		if !errors.Is(err, ErrStore) || strings.Contains(err.Error(), "hunter") {
			t.Errorf("%s: %v", name, err)
		}
		if x.want == "" && !strings.Contains(err.Error(), "sslmode=disable in the address") {
			t.Errorf("%s: %v does not say what to do", name, err)
		}
		got := ""
		select {
		case got = <-said:
		default: // Open has ended, and so has the talk
		}
		if got != x.want {
			t.Errorf("%s: the server was told %q, want %q", name, got, x.want)
		}
	}
}
