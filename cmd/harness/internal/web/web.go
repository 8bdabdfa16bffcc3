// Package web shows a feed as a live page, using server-sent events. The page contains everything it needs and requests
// nothing from another address.
package web

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"time"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/endpoint"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/plot"
)

//go:embed page
var files embed.FS

// EventsPath is the URL path of the events.
const EventsPath = "/events"

// contentPolicy restricts the page to its own files, whatever the names of models and errors contain.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Page is a feed.Sink that serves the page at one address.
type Page struct {
	server *endpoint.Server
	eventHistory
}

// Listen opens the address.
func Listen(address string) (*Page, error) {
	s, err := endpoint.Listen(address)
	if err != nil {
		return nil, err
	}
	return &Page{server: s, eventHistory: newHistory()}, nil
}

// Server returns the server of the page.
func (p *Page) Server() *endpoint.Server { return p.server }

// Serve starts to answer requests.
func (p *Page) Serve() {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+EventsPath, p.streamEvents)
	mux.HandleFunc("GET /colours.css", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/css; charset=utf-8")
		fmt.Fprint(w, ":root{"+plot.Light+"}\n@media(prefers-color-scheme:dark){:root{"+plot.Dark+"}}\n")
	})
	page, err := fs.Sub(files, "page")
	if err != nil {
		panic(err) // impossible for an embedded folder
	}
	mux.Handle("GET /", http.FileServerFS(page))
	p.server.Serve(withHeaders(mux))
}

func withHeaders(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for key, value := range map[string]string{
			"Content-Security-Policy": contentPolicy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
			"Cache-Control": "no-store",
		} {
			w.Header().Set(key, value)
		}
		h.ServeHTTP(w, r)
	})
}

// Close closes the server. Reading clients receive the last event first.
func (p *Page) Close(ctx context.Context) {
	p.endClients()
	p.server.Close(ctx)
}

// The time limit for sending an event, and the interval of heartbeats during silence.
const (
	maxClientTime     = 5 * time.Second
	heartbeatInterval = 15 * time.Second
)

// streamEvents sends the past events to a client and then the new ones.
func (p *Page) streamEvents(w http.ResponseWriter, r *http.Request) {
	c, past := p.joinClient()
	if c == nil {
		http.Error(w, "too many pages are open", http.StatusServiceUnavailable)
		return
	}
	defer p.removeClient(c)
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	_ = out.SetReadDeadline(time.Time{}) // the client sends nothing more
	send := func(format string, args ...any) error {
		_ = out.SetWriteDeadline(time.Now().Add(maxClientTime))
		if _, err := fmt.Fprintf(w, format, args...); err != nil {
			return err
		}
		return out.Flush()
	}
	if send("retry: 2000\n\n") != nil {
		return
	}
	for _, e := range past {
		if line, err := json.Marshal(e); err == nil && send("data: %s\n\n", line) != nil {
			return
		}
	}
	c.followEvents(r.Context(), send)
}
