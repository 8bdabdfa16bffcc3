package openai

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// Client sends one request to a server at a time and reports what arrives and when, for measurements of the servers
// themselves. It tries once, does not queue and does not limit the number of requests, so that the waiting times of
// users are measured. Its methods are safe for concurrent use.
type Client struct {
	settings openaiSettings
	about    ServerInfo
	client   *http.Client
	header   http.Header
	writer   requestWriter
	lanes    []clientEndpoint
	turn     atomic.Uint32
	calls    sync.Pool
	wires    sync.Pool
}

// clientEndpoint is one of the servers.
type clientEndpoint struct {
	base    *url.URL
	path    string // path of base as the user wrote it
	lines   *connPool
	running atomic.Int64 // requests in progress
}

// ServerInfo contains the facts about the servers that are known without a request for an answer.
type ServerInfo struct {
	URLs    []string // base URLs, including the version of the API
	Kind    string   // vllm, sglang, trtllm, llamacpp, openai, other
	Version string   // version of the server's program; empty: unknown
	Models  []string // all listed models
	Model   string   // the model to which requests are sent
	// MaxLength is the maximum number of tokens of a prompt and its answer; 0: unknown.
	MaxLength int
	// Vocabulary is the number of token ids; 0: unknown.
	Vocabulary int
	API        APIPart // endpoint in the URL; empty: none
	IDs        bool    // requests ask for token ids, or for log probabilities that include them
	Exact      bool    // the kind of server supports answers of an exact length
}

// Client connects to the servers in options, which are those of OpenGenerator except concurrency, retries and
// on_failure. URLs may lack http://, and may end in the path of an endpoint, which is then used. It asks for the list
// of models. It returns an error of class backend.ErrOption or backend.ErrModel, or one that describes why no server
// answers.
//
// The default of option prefix_cache is allow: prompts that must differ differ anyway, and a server may cache their
// common parts. With off or report, each request has its own salt.
func (b Backend) Client(ctx context.Context, options map[string]string) (*Client, error) {
	s, named, err := readMeasured(options)
	if err != nil {
		return nil, err
	}
	key, err := b.apiKey(s, backend.Config{Options: options})
	if err != nil {
		return nil, err
	}
	s.places, s.maxIdle = 1, maxIdleTime
	c := &Client{header: commonHeader(key)}
	c.header["Accept"] = []string{"text/event-stream, application/json"}
	var wire *poolTransport
	if c.client, wire, err = newClient(s, b.Dial); err != nil {
		return nil, fmt.Errorf("%w: %w", backend.ErrOption, err)
	}
	if err := c.discoverModels(ctx, &s, key != ""); err != nil {
		c.client.CloseIdleConnections()
		return nil, err
	}
	c.settings = s
	c.about.API, c.about.Kind, c.about.Model = named, s.kind.name, s.model
	c.about.IDs = len(s.kind.countFields(s.count)) > 0
	c.about.Exact = s.kind.allowsExactLength()
	c.writer = requestWriter{settings: s, kind: s.kind, session: rand.Text()}
	c.lanes = make([]clientEndpoint, len(s.endpoints))
	for i, u := range s.endpoints {
		c.lanes[i].base, c.lanes[i].path = u, u.EscapedPath()
		c.lanes[i].lines = wire.poolOf(u)
		c.about.URLs = append(c.about.URLs, u.String())
	}
	return c, nil
}

// maxIdleTime is less than 5 s, the time after which common servers (uvicorn, llama.cpp) close an idle connection. A
// request sent at that moment would seem to be refused.
const maxIdleTime = 4 * time.Second

// ServerInfo describes the servers.
func (c *Client) ServerInfo() ServerInfo {
	a := c.about
	a.URLs, a.Models = slices.Clone(a.URLs), slices.Clone(a.Models)
	return a
}

// Close closes idle connections.
func (c *Client) Close() error {
	c.client.CloseIdleConnections()
	return nil
}

// readMeasured parses the options of a Client and returns the endpoint that a URL names.
func readMeasured(options map[string]string) (openaiSettings, APIPart, error) {
	given := maps.Clone(options)
	var faults []error
	for _, name := range []string{"concurrency", "retries", "on_failure"} {
		if _, ok := given[name]; ok {
			faults = append(faults, fmt.Errorf("option %s: a measurement sends each request once, as soon as it is due, "+
				"without a limit at the client", name))
			delete(given, name)
		}
	}
	var named APIPart
	var urls []string
	for text := range strings.SplitSeq(given["url"], ",") {
		text, api := completeURL(strings.TrimSpace(text))
		if api != "" && named != "" && api != named {
			faults = append(faults, fmt.Errorf("option url: one address is of the API %s, and another of %s", named, api))
		}
		named = max(named, api)
		urls = append(urls, text)
	}
	given["url"] = strings.Join(urls, ",")
	if given["prefix_cache"] == "" {
		given["prefix_cache"] = "allow"
	}
	s, err := readSettings(given)
	if err == nil && len(faults) > 0 {
		err = backend.ErrOption
	}
	if len(faults) > 0 {
		err = fmt.Errorf("%w: %w", err, errors.Join(faults...))
	}
	return s, named, err
}

// completeURL converts a user's URL to a base URL. It adds http:// if the scheme is missing, and returns the endpoint
// if the URL ends in its path.
func completeURL(text string) (base string, api APIPart) {
	if text == "" {
		return "", ""
	}
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	text = strings.TrimSuffix(text, "/")
	for _, a := range endpointPaths {
		if base, ok := strings.CutSuffix(text, a.path); ok {
			return base, a.name
		}
	}
	return strings.TrimSuffix(text, "/models"), ""
}

// discoverModels asks all servers for their models and sets the model and the kind of server.
func (c *Client) discoverModels(ctx context.Context, s *openaiSettings, hasKey bool) error {
	var faults []error
	for _, base := range s.endpoints {
		if err := c.discoverOne(ctx, s, base, hasKey); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", base, err))
		}
	}
	return errors.Join(faults...)
}

func (c *Client) discoverOne(ctx context.Context, s *openaiSettings, base *url.URL, hasKey bool) error {
	ctx, cancel := withConnectTimeout(ctx, s.connect)
	defer cancel()
	l, err := listModels(ctx, c.client, c.header, base)
	if status := new(httpError); errors.As(err, &status) && status.code == http.StatusNotFound && s.model != "" {
		l, err = modelList{ids: []string{s.model}, server: status.server}, nil // without a list, trust the options
	}
	if err != nil {
		return explainDiscovery(err, base, s, hasKey)
	}
	if err := s.chooseModel(l); err != nil {
		return fmt.Errorf("%w: %w", backend.ErrModel, err)
	}
	for _, id := range l.ids {
		if !slices.Contains(c.about.Models, id) {
			c.about.Models = append(c.about.Models, id)
		}
	}
	of := l.models[s.model]
	tells := c.serverVersion(ctx, s.kind, base)
	c.about.Version = cmp.Or(c.about.Version, tells.Version)
	n := cmp.Or(of.maxLength, tells.Settings.Length)
	if n > 0 && (c.about.MaxLength == 0 || n < c.about.MaxLength) {
		c.about.MaxLength = n // the minimum of several servers
	}
	c.about.Vocabulary = max(c.about.Vocabulary, of.vocabulary)
	return nil
}

// withConnectTimeout returns a context that limits the wait for facts about a server.
func withConnectTimeout(ctx context.Context, connect time.Duration) (context.Context, context.CancelFunc) {
	if connect <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, 2*connect, errors.New("it did not answer within twice connect_timeout"))
}

// explainDiscovery explains an error of a server that does not list its models.
func explainDiscovery(err error, base *url.URL, s *openaiSettings, hasKey bool) error {
	var status *httpError
	var dial *dialError
	switch {
	case errors.As(err, &dial) && dial.outOfFiles():
		return fmt.Errorf("no connection to %s: %w", base.Host, dial)
	case errors.As(err, &dial):
		port := cmp.Or(base.Port(), defaultPort(base))
		return fmt.Errorf("nothing listens at %s: %w", net.JoinHostPort(base.Hostname(), port), dial)
	case !errors.As(err, &status):
		return err
	case status.code == http.StatusUnauthorized || status.code == http.StatusForbidden:
		read := "environment variable " + s.keyName + " is not set: option key_env names the one that has it"
		if hasKey {
			read = "it was sent the API key of the environment variable " + s.keyName
		}
		return fmt.Errorf("%w; %s", err, read)
	case status.code == http.StatusNotFound:
		return fmt.Errorf("%w; it does not list its models: give the model's name, and see whether the path is right", err)
	}
	return err
}
