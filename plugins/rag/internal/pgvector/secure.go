package pgvector

import (
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"
)

// dropPlaintextFallbacks removes the ways to a host without TLS where there is one with it: those of sslmode=prefer,
// which is the library's default, and of allow. A server in the middle could answer that there is no TLS, and be sent
// the password in clear. With sslmode=disable there is no way with TLS, and the one without stays, as does a socket's
// of this machine.
func dropPlaintextFallbacks(c *pgconn.Config) {
	all := append([]*pgconn.FallbackConfig{{Host: c.Host, Port: c.Port, TLSConfig: c.TLSConfig}}, c.Fallbacks...)
	at := func(f *pgconn.FallbackConfig) string { return fmt.Sprint(f.Host, " ", f.Port) }
	secure := map[string]bool{}
	for _, f := range all {
		secure[at(f)] = secure[at(f)] || f.TLSConfig != nil
	}
	all = slices.DeleteFunc(all, func(f *pgconn.FallbackConfig) bool { return f.TLSConfig == nil && secure[at(f)] })
	c.Host, c.Port, c.TLSConfig, c.Fallbacks = all[0].Host, all[0].Port, all[0].TLSConfig, all[1:]
}
