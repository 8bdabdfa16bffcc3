// Package web shows a feed as a live page, over server-sent events. The page contains everything it needs and requests
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

// EventsPath is where the events are.
const EventsPath = "/events"

// policy lets the page use its own files and nothing else, whatever names of models and errors hold.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Page serves one address, and is a feed.Sink.
type Page struct {
	server *endpoint.Server
	eventHistory
}

// Listen takes the address.
func Listen(address string) (*Page, error) {
	s, err := endpoint.Listen(address)
	if err != nil {
		return nil, err
	}
	return &Page{server: s, eventHistory: newHistory()}, nil
}

// Server is the address that it listens at.
func (p *Page) Server() *endpoint.Server { return p.server }

// Serve begins to answer.
func (p *Page) Serve() {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+EventsPath, p.streamEvents)
	mux.HandleFunc("GET /colours.css", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/css; charset=utf-8")
		fmt.Fprint(w, ":root{"+plot.Light+"}\n@media(prefers-color-scheme:dark){:root{"+plot.Dark+"}}\n")
	})
	page, err := fs.Sub(files, "page")
	if err != nil {
		panic(err) // the folder is embedded
	}
	mux.Handle("GET /", http.FileServerFS(page))
	p.server.Serve(withHeaders(mux))
}

func withHeaders(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for key, value := range map[string]string{
			"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
			"Cache-Control": "no-store",
		} {
			w.Header().Set(key, value)
		}
		h.ServeHTTP(w, r)
	})
}

// Close ends it; clients that read get the last event before.
func (p *Page) Close(ctx context.Context) {
	p.endClients()
	p.server.Close(ctx)
}

// How long a client may take for an event, and how often one that hears nothing is told that all is well.
const (
	clientTime = 5 * time.Second
	heartbeat  = 15 * time.Second
)

// streamEvents sends a client what happened, and then what happens.
func (p *Page) streamEvents(w http.ResponseWriter, r *http.Request) {
	c, past := p.joinClient()
	if c == nil {
		http.Error(w, "too many pages are open", http.StatusServiceUnavailable)
		return
	}
	defer p.leaveClient(c)
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	_ = out.SetReadDeadline(time.Time{}) // the client has nothing to say
	send := func(format string, args ...any) error {
		_ = out.SetWriteDeadline(time.Now().Add(clientTime))
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
