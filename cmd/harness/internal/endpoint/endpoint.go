// Package endpoint serves HTTP during a run, by default only to this machine.
package endpoint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// ParseAddress parses HOST:PORT, or a port of the loopback address.
func ParseAddress(text string) (string, error) {
	if _, err := strconv.Atoi(text); err == nil {
		text = ":" + text
	}
	host, port, err := net.SplitHostPort(text)
	if n, bad := strconv.Atoi(port); err != nil || bad != nil || n < 0 || n > 65535 {
		return "", fmt.Errorf("%q is no address: want PORT or HOST:PORT, such as 9464 (this machine alone can reach it) or "+
			"0.0.0.0:9464 (others can), with a port from 0, any that is free, to 65535", text)
	}
	host = cmp.Or(host, "127.0.0.1")
	return net.JoinHostPort(host, port), nil
}

// Server serves HTTP at one address until it is closed.
type Server struct {
	listener net.Listener
	server   http.Server
	limiter  connLimiter
	done     chan struct{}
}

// Listen opens the address. Call Serve to answer requests.
func Listen(text string) (*Server, error) {
	address, err := ParseAddress(text)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%s is in use by another program: choose another port, or 0 for any that is free", address)
	case err != nil:
		return nil, fmt.Errorf("%s cannot be listened at: %w", address, err)
	}
	return &Server{listener: l, done: make(chan struct{})}, nil
}

// ParseAddress returns the address of the listener.
func (s *Server) Address() string { return s.listener.Addr().String() }

// IsPublic reports whether other machines may be able to reach the server.
func (s *Server) IsPublic() bool {
	host, _, _ := net.SplitHostPort(s.Address())
	ip := net.ParseIP(host)
	return ip == nil || !ip.IsLoopback()
}

// The limits of a request, against clients that stop sending or receiving. A handler that takes longer sets its own
// deadlines.
const (
	maxHeaderTime  = 5 * time.Second
	maxAnswerTime  = 5 * time.Second // from the end of the request's header to the last byte of the response
	maxHeaderBytes = 16 << 10
)

// Serve starts to answer requests with h.
func (s *Server) Serve(h http.Handler) {
	if !s.IsPublic() {
		h = rejectForeignHosts(h)
	}
	s.server = http.Server{
		Handler: h, ReadHeaderTimeout: maxHeaderTime, ReadTimeout: maxHeaderTime, WriteTimeout: maxAnswerTime,
		IdleTimeout: time.Minute, MaxHeaderBytes: maxHeaderBytes, ConnState: s.limiter.connStateChanged,
		ErrorLog: log.New(io.Discard, "", 0), // discards errors of closed connections to keep the run's terminal clean
	}
	go func() {
		defer close(s.done)
		_ = s.server.Serve(s.listener) // returns after Close
	}()
}

// Close closes the server. Requests under way may finish until ctx ends.
func (s *Server) Close(ctx context.Context) {
	if s.server.Handler == nil {
		s.listener.Close()
		return
	}
	if s.server.Shutdown(ctx) != nil {
		s.server.Close()
	}
	<-s.done
}

// rejectForeignHosts rejects requests to the loopback address under another host name, against DNS rebinding.
func rejectForeignHosts(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		ip := net.ParseIP(strings.Trim(host, "[]"))
		if host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			http.Error(w, "this address is for its own machine, under the name localhost", http.StatusForbidden)
			return
		}
		h.ServeHTTP(w, r)
	})
}
