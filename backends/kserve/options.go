package kserve

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// The defaults of the options.
const (
	defaultConcurrency = 64 // requests in flight at all endpoints
	defaultTimeout     = 5 * time.Minute
	defaultConnect     = 10 * time.Second
)

// sessionSettings contains the parsed values of backend.Config.Options.
type sessionSettings struct {
	urls        []string
	model       string
	part        string // part of a model with several parts
	version     string
	concurrency int
	batch       int           // 0: not given
	timeout     time.Duration // of one request
	connect     time.Duration // until every endpoint is ready
	tls         bool
	ca          string
	token       string // name of the variable that contains the token
	continues   bool   // continue with the other endpoints if one is lost
	stream      string // auto, on or off
	headers     []string
}

// defaultSettings returns the settings without any option.
func defaultSettings() sessionSettings {
	return sessionSettings{concurrency: defaultConcurrency, timeout: defaultTimeout, connect: defaultConnect,
		stream: "auto"}
}

// maxRequests is the maximum number of requests in flight, which detects typing errors.
const maxRequests = 1 << 20

// optionList returns the options, which write to s.
func (s *sessionSettings) optionList() option.List {
	return option.List{
		option.Func("url", "", "endpoints: HOST:PORT,...; grpcs://HOST:PORT uses TLS", s.readURLs).AsSecret(),
		option.Text("model", &s.model, "the model's name at the server (default: the benchmark's name for it, or the "+
			"part's name)"),
		option.Text("version", &s.version, "the model's version (default: the server's choice)"),
		option.Int("concurrency", &s.concurrency, 1, maxRequests, "requests in flight, over all endpoints"),
		option.Int("batch", &s.batch, 1, math.MaxInt32,
			"maximum samples per request; more than one means batching at the client (default: --batch, or 1)").WithDefault(""),
		option.Duration("timeout", &s.timeout, "maximum time of a request"),
		option.Duration("connect_timeout", &s.connect, "maximum time until the endpoints are ready"),
		option.Text("ca", &s.ca, "PEM file of the authority that signed the servers' certificates (default: the system's)"),
		option.Text("token_env", &s.token, "name of the environment variable with a bearer token"),
		option.Choice("lost", &s.continues, map[string]bool{"end": false, "go-on": true},
			"reaction to a lost endpoint: end the run, or go-on with the others"),
		option.Choice("stream", &s.stream, map[string]string{"auto": "auto", "on": "on", "off": "off"},
			"send many requests over one stream to each endpoint: on, off, or auto (if the server supports it)"),
		option.Prefix("header.", "NAME", "a header of each request, such as header.application=NAME, which Ray Serve "+
			"requires if it has several applications", s.readHeader).AsSecret(),
	}
}

// modelOption returns the name of the option that names the model.
func (s *sessionSettings) modelOption() string {
	if s.part != "" {
		return s.part + ".model"
	}
	return "model"
}

func (s *sessionSettings) readURLs(value string) error {
	for _, url := range strings.Split(value, ",") {
		url, secure := strings.CutPrefix(strings.TrimSpace(url), "grpcs://")
		url = strings.TrimPrefix(url, "grpc://")
		if host, port, ok := strings.Cut(url, ":"); !ok || host == "" || port == "" || strings.ContainsAny(url, "@/?#") {
			return fmt.Errorf("endpoint %q, want HOST:PORT", removeUserInfo(url))
		}
		if len(s.urls) > 0 && secure != s.tls {
			return fmt.Errorf("endpoint %q, want all endpoints with TLS (grpcs://HOST:PORT) or none", url)
		}
		s.urls, s.tls = append(s.urls, url), secure
	}
	return nil
}

// removeUserInfo removes the part before a host, which may be a password, and the part after it.
func removeUserInfo(url string) string {
	url = url[strings.LastIndexByte(url, '@')+1:]
	if end := strings.IndexAny(url, "/?#"); end >= 0 {
		url = url[:end]
	}
	return url
}

// headerLetters are the characters allowed in a header's name.
const headerLetters = "abcdefghijklmnopqrstuvwxyz0123456789-_."

// readHeader reads header.NAME=VALUE. It accepts the names that HTTP/2 allows, except those that gRPC or option
// token_env use.
func (s *sessionSettings) readHeader(name, value string) error {
	name = strings.ToLower(name)
	if strings.Trim(name, headerLetters) != "" || strings.HasPrefix(name, "grpc-") || strings.HasSuffix(name, "-bin") {
		return errors.New("want a header's name: letters, digits, - _ and ., not grpc-... nor ...-bin")
	}
	if isSecretHeader(name) {
		return errors.New("a secret does not belong on a command line: option token_env names the environment variable " +
			"with a token")
	}
	if !isPrintable(value) {
		return errors.New("want printable ASCII")
	}
	s.headers = append(s.headers, name, value)
	return nil
}

// isSecretHeader reports whether a header contains a secret.
func isSecretHeader(name string) bool {
	switch name {
	case "authorization", "proxy-authorization", "cookie", "api-key", "apikey", "x-api-key",
		"x-auth-token", "x-goog-api-key":
		return true
	}
	return false
}

func isPrintable(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}

// readSettings parses the options. The error lists every fault.
func readSettings(given map[string]string) (sessionSettings, error) {
	s := defaultSettings()
	err := s.optionList().Read(given)
	if given["url"] == "" {
		err = errors.Join(err, errors.New("option url is missing: want the endpoints as HOST:PORT,HOST:PORT"))
	}
	if err != nil {
		return s, fmt.Errorf("%w: %w", backend.ErrOption, err)
	}
	return s, nil
}

// tlsConfig returns the TLS configuration, or nil for connections without TLS.
func (s sessionSettings) tlsConfig() (*tls.Config, error) {
	if !s.tls {
		if s.ca != "" {
			return nil, fmt.Errorf("%w: option ca is for endpoints with TLS: grpcs://HOST:PORT", backend.ErrOption)
		}
		return nil, nil
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if s.ca == "" {
		return c, nil
	}
	pem, err := backend.ReadFile(s.ca, 1<<20)
	if err != nil {
		return nil, fmt.Errorf("%w: option ca: %w", backend.ErrOption, err)
	}
	c.RootCAs = x509.NewCertPool()
	if !c.RootCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%w: option ca: %s holds no certificate", backend.ErrOption, s.ca)
	}
	return c, nil
}
