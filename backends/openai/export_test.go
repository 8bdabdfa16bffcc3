package openai

import (
	"context"
	"maps"
	"net"
	"net/http"
)

// ForTest returns a generator of vLLM servers that dial connects to. The options are those of a configuration: url and
// model must be among them.
func ForTest(dial func(context.Context, string, string) (net.Conn, error), options map[string]string) *Generator {
	given := map[string]string{"server": "vllm"}
	maps.Copy(given, options)
	s, err := readSettings(given)
	if err != nil {
		panic(err)
	}
	return &Generator{
		settings: s, asker: newRequestMaker(s), header: commonHeader(""), cache: newCacheWatch(),
		client:   &http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}},
		balancer: newBalancer(s.endpoints, s.places),
	}
}

// Wrap wraps a generator's transport.
func (g *Generator) Wrap(layer func(http.RoundTripper) http.RoundTripper) {
	g.client.Transport = layer(g.client.Transport)
}
