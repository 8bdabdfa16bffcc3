package openai

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

var _ backend.Remote = (*Generator)(nil)

// Nodes returns the endpoints.
func (g *Generator) Nodes() []backend.RemoteNode {
	nodes := make([]backend.RemoteNode, len(g.settings.endpoints))
	for i, u := range g.settings.endpoints {
		nodes[i] = networkNode{g, u}
	}
	return nodes
}

var _ backend.LocalWorker = (*Generator)(nil)

// LocalWork lists the options that violate the rules of the network division, which require prompts of token ids that
// servers do not cache.
func (g *Generator) LocalWork() []string {
	var work []string
	if g.settings.api == Chat {
		work = append(work, "prompts are sent as text, as chats are (option api=chat)")
	}
	if g.settings.cache == cacheAllow {
		work = append(work, "servers are not asked to forget prompts between queries (option prefix_cache=allow)")
	}
	return work
}

// networkNode is an endpoint in the form that the network division requires.
type networkNode struct {
	generator *Generator
	base      *url.URL
}

func (n networkNode) Address() string { return n.base.String() }

// Name asks for the list of models. The API has no name for a server. Name returns the further names under which the
// server provides the model (vLLM: --served-model-name MODEL NODE), or else the server's description of itself.
func (n networkNode) Name(ctx context.Context) (name, peer string, err error) {
	l, err := listModels(peerOf(ctx, &peer), n.generator.client, n.generator.header, n.base)
	if err != nil {
		return "", peer, err
	}
	model := n.generator.settings.model
	others := slices.DeleteFunc(slices.Clone(l.ids), func(id string) bool { return id == model })
	return cmp.Or(strings.Join(others, " "), l.models[model].owner, l.server), peer, nil
}

// peerOf returns a context with which a request stores the address of its server.
func peerOf(ctx context.Context, to *string) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(c httptrace.GotConnInfo) { *to = c.Conn.RemoteAddr().String() },
	})
}

// reuseOf returns a context with which a request stores whether its connection was used before.
func reuseOf(ctx context.Context, to *bool) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(c httptrace.GotConnInfo) { *to = c.Reused },
	})
}

// Send sends a request whose JSON is only blanks and an opening brace. A server must read all of it to detect that it
// is incomplete, and refuses it.
func (n networkNode) Send(ctx context.Context, size int) (err error) {
	body := bytes.Repeat([]byte{' '}, max(size, 1))
	body[len(body)-1] = '{'
	of := n.generator.settings.api
	r := serverRequest{path: cmp.Or(of, Completions).urlPath(), outsideAPI: of == nativeAPI}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.urlAt(n.base), bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header = n.generator.header
	response, err := n.generator.client.Do(request)
	if err != nil {
		return connectionFailure(ctx, err)
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxListBytes))
	if err != nil {
		return connectionFailure(ctx, err)
	}
	return checkRequestRead(response, answer[:min(len(answer), maxErrorBody)])
}

// checkRequestRead returns an error if a server may have answered without reading the request, which makes the measured
// time useless.
func checkRequestRead(r *http.Response, body []byte) error {
	switch r.StatusCode {
	case http.StatusRequestEntityTooLarge:
		return fmt.Errorf("%w: %s: raise the limit of the server, or of what stands before it, for the size of a request",
			ErrServer, r.Status)
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed,
		http.StatusTooManyRequests,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return statusFailure(r, body)
	}
	return nil
}
