package openai

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// Backend opens generators at servers. It cannot open sessions, because a server accepts prompts, not tensors.
type Backend struct {
	// Lookup finds an environment variable, like os.LookupEnv. Option key_env names the variable with the API key. Nil:
	// there is no key.
	Lookup func(name string) (value string, ok bool)
	// Dial connects to an address of the form host:port. Nil: over the network.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Open always fails, because a server has no tensors.
func (Backend) Open(context.Context, backend.Model, backend.Config) (backend.Session, error) {
	return nil, fmt.Errorf("%w: an OpenAI-compatible server continues prompts, and the benchmark has tensors: choose "+
		"another backend", backend.ErrModel)
}

// OpenGenerator connects to the servers in c.Options and checks that all have the model. It does not use the model's
// file in m, because the servers have their own. If c.Concurrency is above 0, it is the maximum number of concurrent
// requests unless option concurrency is set.
func (b Backend) OpenGenerator(ctx context.Context, m backend.Model, c backend.Config) (backend.Generator, error) {
	g, err := b.Connect(ctx, c)
	if err != nil {
		return nil, err
	}
	return g, nil
}

// Connect does the same as OpenGenerator but returns a *Generator, which has further methods.
func (b Backend) Connect(ctx context.Context, c backend.Config) (*Generator, error) {
	s, err := readSettings(c.Options)
	if err != nil {
		return nil, err
	}
	if c.Options["concurrency"] == "" && c.Concurrency > 0 {
		s.places = (c.Concurrency + len(s.endpoints) - 1) / len(s.endpoints)
	}
	key, err := b.apiKey(s, c)
	if err != nil {
		return nil, err
	}
	g := &Generator{
		header: commonHeader(key), cache: newCacheWatch(), balancer: newBalancer(s.endpoints, s.places), session: rand.Text(),
	}
	if g.client, _, err = newClient(s, b.Dial); err != nil {
		return nil, fmt.Errorf("%w: %w", backend.ErrOption, err)
	}
	if err := s.discoverModels(ctx, g.client, g.header); err != nil {
		g.client.CloseIdleConnections()
		return nil, err
	}
	g.settings = s
	g.asker = newRequestMaker(s)
	return g, nil
}

// apiKey returns the API key, or "" if the default variable is not set. A variable that the options name must be set.
func (b Backend) apiKey(s openaiSettings, c backend.Config) (string, error) {
	key, ok := "", false
	if b.Lookup != nil && s.keyName != "" {
		key, ok = b.Lookup(s.keyName)
	}
	if !ok && c.Options["key_env"] != "" {
		return "", fmt.Errorf("%w: option key_env: there is no environment variable %s", backend.ErrOption, s.keyName)
	}
	if strings.ContainsAny(strings.TrimSpace(key), "\r\n\x00") {
		return "", fmt.Errorf("%w: %w", backend.ErrOption, errors.New("the API key has a line break in it"))
	}
	return key, nil
}

// Describe lists the options.
func (Backend) Describe() backend.Info {
	s := defaultSettings()
	return backend.Info{Version: "OpenAI-compatible API", Devices: []string{"server"}, Options: s.optionList().Docs()}
}

// Describe describes the servers, the method of counting tokens, and the observations so far.
func (g *Generator) Describe() backend.Info {
	hosts := make([]string, len(g.settings.endpoints))
	for i, u := range g.settings.endpoints {
		hosts[i] = u.String()
	}
	info := backend.Info{
		Version: "OpenAI-compatible API: " + g.settings.kind.name,
		Devices: hosts,
		Options: Backend{}.Describe().Options,
		Details: map[string]string{
			"model":        g.settings.model,
			"server":       g.settings.kind.name,
			"concurrency":  fmt.Sprint(g.Limits().Concurrency),
			"prefix_cache": g.describeCache(),
		},
	}
	info.Shares = g.balancer.shares()
	if r := g.Report(); r.Answers+r.Retried > 0 {
		info.Details["report"] = r.String()
	}
	return info
}

// Restart resets the counts of answers, so that they exclude the warm-up.
func (g *Generator) Restart() { g.balancer.resetShares() }

// describeCache describes the treatment of prompts that servers cache between queries.
func (g *Generator) describeCache() string {
	k := g.settings.kind
	switch {
	case g.settings.cache == cacheAllow:
		return "allowed, against the rules"
	case g.settings.api == nativeAPI:
		return "cannot be asked off by /generate: turn it off at the server (--disable-radix-cache)"
	case k.saltsChats:
		return "kept apart by a new " + k.salt +
			" in each chat; completions cannot ask for it: turn the cache off at the server"
	case k.salt != "":
		return "kept apart by a new " + k.salt + " in each request"
	case k.noCache != nil:
		return "turned off by " + k.noCache[0].name + " in each request"
	}
	return "cannot be asked off at a server of this kind: turn it off there"
}
