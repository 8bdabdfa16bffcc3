package kserve

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// The defaults of the options.
const (
	defaultConcurrency = 64 // requests in flight, over all endpoints
	defaultTimeout     = 5 * time.Minute
	defaultConnect     = 10 * time.Second
)

// settings is backend.Config.Options, read.
type settings struct {
	urls        []string
	model       string
	version     string
	concurrency int
	batch       int           // 0: not given
	timeout     time.Duration // of one request
	connect     time.Duration // until every endpoint is ready
	tls         bool
	ca          string
	token       string // the name of the variable that holds it
	goesOn      bool   // with the other endpoints after one is lost
	stream      string // auto, on or off
	headers     []string
}

// option is one key: its documentation and how it is read.
type option struct {
	backend.Option
	read func(s *settings, value string) error
}

// options lists every key, in the order in which they are shown.
func options() []option {
	return []option{
		{backend.Option{Name: "url", Help: "endpoints: HOST:PORT,...; grpcs://HOST:PORT is one with TLS"}, readURLs},
		{backend.Option{Name: "model", Help: "the model's name at the server (default: the benchmark's name for it)"},
			func(s *settings, v string) error { s.model = v; return nil }},
		{backend.Option{Name: "version", Help: "the model's version (default: the server's choice)"},
			func(s *settings, v string) error { s.version = v; return nil }},
		{backend.Option{Name: "concurrency", Default: strconv.Itoa(defaultConcurrency), Help: "requests in flight, over all endpoints"},
			number(func(s *settings) *int { return &s.concurrency })},
		{backend.Option{Name: "batch", Help: "samples in one request at most; more than one is batching at the client (default: --batch, or 1)"},
			number(func(s *settings) *int { return &s.batch })},
		{backend.Option{Name: "timeout", Default: defaultTimeout.String(), Help: "how long one request may take"},
			duration(func(s *settings) *time.Duration { return &s.timeout })},
		{backend.Option{Name: "connect_timeout", Default: defaultConnect.String(), Help: "how long the endpoints may take to be ready"},
			duration(func(s *settings) *time.Duration { return &s.connect })},
		{backend.Option{Name: "ca", Help: "PEM file with the certificates that sign the servers' (default: the system's)"},
			func(s *settings, v string) error { s.ca = v; return nil }},
		{backend.Option{Name: "token_env", Help: "name of the environment variable with a bearer token"},
			func(s *settings, v string) error { s.token = v; return nil }},
		{backend.Option{Name: "lost", Default: "end", Help: "what to do when an endpoint is lost: end the run, or go-on with the others"}, readLost},
		{backend.Option{Name: "stream", Default: "auto", Help: "many requests over one stream to each endpoint: on, off, or auto: where the server has it"}, readStream},
		{backend.Option{Name: headerPrefix + "NAME", Help: "a header of each request, such as header.application=NAME, which Ray Serve wants where it has several"}, nil},
	}
}

func readURLs(s *settings, value string) error {
	for _, url := range strings.Split(value, ",") {
		url, secure := strings.CutPrefix(strings.TrimSpace(url), "grpcs://")
		url = strings.TrimPrefix(url, "grpc://")
		if host, port, ok := strings.Cut(url, ":"); !ok || host == "" || port == "" || strings.ContainsAny(url, "@/?#") {
			return fmt.Errorf("endpoint %q, want HOST:PORT", withoutUser(url))
		}
		if len(s.urls) > 0 && secure != s.tls {
			return fmt.Errorf("endpoint %q, want all endpoints with TLS (grpcs://HOST:PORT) or none", url)
		}
		s.urls, s.tls = append(s.urls, url), secure
	}
	return nil
}

// withoutUser leaves out what stands before a host, which may be a password, and what stands behind it.
func withoutUser(url string) string {
	url = url[strings.LastIndexByte(url, '@')+1:]
	if end := strings.IndexAny(url, "/?#"); end >= 0 {
		url = url[:end]
	}
	return url
}

func readStream(s *settings, value string) error {
	if value != "auto" && value != "on" && value != "off" {
		return errors.New("want auto, on or off")
	}
	s.stream = value
	return nil
}

// headerPrefix starts the options that are sent along with each request.
const headerPrefix = "header."

// headerLetters are what a header's name is made of.
const headerLetters = "abcdefghijklmnopqrstuvwxyz0123456789-_."

// readHeader takes header.NAME=VALUE. Names are what HTTP/2 allows, but for those that gRPC or option token_env use.
func readHeader(s *settings, name, value string) error {
	name = strings.ToLower(name)
	if name == "" || strings.Trim(name, headerLetters) != "" || strings.HasPrefix(name, "grpc-") || strings.HasSuffix(name, "-bin") {
		return errors.New("want a header's name: letters, digits, - _ and ., not grpc-... nor ...-bin")
	}
	if secret(name) {
		return errors.New("a secret does not belong on a command line: option token_env names the environment variable with a token")
	}
	if !printable(value) {
		return errors.New("want printable ASCII")
	}
	s.headers = append(s.headers, name, value)
	return nil
}

// secret tells which headers hold secrets.
func secret(name string) bool {
	switch name {
	case "authorization", "proxy-authorization", "cookie", "api-key", "apikey", "x-api-key", "x-auth-token", "x-goog-api-key":
		return true
	}
	return false
}

func printable(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}

func readLost(s *settings, value string) error {
	if value != "end" && value != "go-on" {
		return errors.New("want end or go-on")
	}
	s.goesOn = value == "go-on"
	return nil
}

func number(field func(*settings) *int) func(*settings, string) error {
	return func(s *settings, value string) error {
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 {
			return errors.New("want a number from 1")
		}
		*field(s) = n
		return nil
	}
}

func duration(field func(*settings) *time.Duration) func(*settings, string) error {
	return func(s *settings, value string) error {
		d, err := time.ParseDuration(value)
		if err != nil || d <= 0 {
			return errors.New("want a duration such as 30s")
		}
		*field(s) = d
		return nil
	}
}

// readSettings reads the options, or returns one error that lists every fault.
func readSettings(given map[string]string) (settings, error) {
	s := settings{concurrency: defaultConcurrency, timeout: defaultTimeout, connect: defaultConnect, stream: "auto"}
	known := options()
	var faults []error
	for _, key := range slices.Sorted(maps.Keys(given)) {
		if err := s.set(known, key, given[key]); err != nil {
			faults = append(faults, err)
		}
	}
	if given["url"] == "" {
		faults = append(faults, errors.New("option url is missing: want the endpoints as HOST:PORT,HOST:PORT"))
	}
	if len(faults) > 0 {
		return s, fmt.Errorf("%w: %w", backend.ErrOption, errors.Join(faults...))
	}
	return s, nil
}

// set reads one option. Its error shows the value, unless that may hold a secret.
func (s *settings) set(known []option, key, value string) error {
	if name, ok := strings.CutPrefix(key, headerPrefix); ok {
		if err := readHeader(s, name, value); err != nil {
			return fmt.Errorf("option %s: %w", key, err)
		}
		return nil
	}
	i := slices.IndexFunc(known, func(o option) bool { return o.Name == key })
	if i < 0 {
		return fmt.Errorf("unknown option %q, want one of %s", key, names(known))
	}
	err := known[i].read(s, value)
	switch {
	case err == nil:
		return nil
	case key == "url":
		return fmt.Errorf("option url: %w", err)
	}
	return fmt.Errorf("option %s=%s: %w", key, value, err)
}

func names(known []option) string {
	list := make([]string, len(known))
	for i, o := range known {
		list[i] = o.Name
	}
	return strings.Join(list, ", ")
}

// tlsConfig is nil for connections without TLS.
func (s settings) tlsConfig() (*tls.Config, error) {
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
	pem, err := os.ReadFile(s.ca)
	if err != nil {
		return nil, fmt.Errorf("%w: option ca: %w", backend.ErrOption, err)
	}
	c.RootCAs = x509.NewCertPool()
	if !c.RootCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%w: option ca: %s holds no certificate", backend.ErrOption, s.ca)
	}
	return c, nil
}
