package openai

import (
	"context"
	"net"
	"net/http"
	"net/url"
)

// ForTest returns a generator of a vLLM server that dial connects to.
func ForTest(dial func(context.Context, string, string) (net.Conn, error)) *Generator {
	s, err := readSettings(map[string]string{"url": "http://server", "model": "m", "server": "vllm"})
	if err != nil {
		panic(err)
	}
	asker, err := newAsker(s, s.kind)
	if err != nil {
		panic(err)
	}
	return &Generator{
		settings: s, asker: asker, header: header(""), cache: newCacheWatch(),
		client:   &http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}},
		balancer: newBalancer([]*url.URL{s.endpoints[0]}, s.places),
	}
}

// Wrap puts a layer around a generator's transport.
func (g *Generator) Wrap(layer func(http.RoundTripper) http.RoundTripper) {
	g.client.Transport = layer(g.client.Transport)
}
