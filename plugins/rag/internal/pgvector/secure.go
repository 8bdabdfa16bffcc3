package pgvector

import (
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"
)

// dropPlaintextFallbacks removes connection attempts without TLS if there are attempts with TLS. The library makes such
// attempts for sslmode=prefer, its default, and allow. An attacker between client and server could claim that the
// server does not support TLS, and would then receive the password in clear text. With sslmode=disable and for sockets
// of this machine, there are no attempts with TLS, so nothing is removed.
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
