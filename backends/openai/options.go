package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// bodyPrefix is that of the options that are put into each request as they are.
const bodyPrefix = "body."

// settings is backend.Config.Options, read.
type settings struct {
	endpoints []*url.URL
	model     string
	kind      *kind // of server; nil: asked
	kindGiven bool
	api       api
	count     count
	places    int // requests at a time, of each endpoint
	keyName   string
	ca        string
	insecure  bool
	connect   time.Duration
	first     time.Duration
	idle      time.Duration
	total     time.Duration
	retries   int
	goesOn    bool // with the other endpoints after one has failed
	cache     cachePolicy
	body      map[string]json.RawMessage
}

// api is the way to ask.
type api uint8

const (
	anyAPI api = iota // what fits the prompt
	completions
	chat
)

// count is how tokens are to be counted.
type count uint8

const (
	anyCount     count = iota // the best that the server reports
	countIDs                  // by token ids, which the answers must have
	countLogged               // by log probabilities
	countByUsage              // by the usage record; ids are dropped
)

// cachePolicy is what to do about prompts that a server keeps between queries.
type cachePolicy uint8

const (
	cacheOff    cachePolicy = iota // ask for none; one that is reported ends the run
	cacheReport                    // ask for none; one that is reported is counted
	cacheAllow                     // neither ask nor look
)

// defaults of the options.
const (
	defaultPlaces  = 1024
	defaultKeyName = "OPENAI_API_KEY"
	defaultConnect = 5 * time.Second
	defaultFirst   = 10 * time.Minute
	defaultIdle    = time.Minute
	defaultRetries = 5
)

// option is one key: its documentation and how it is read.
type option struct {
	backend.Option
	read func(s *settings, value string) error
}

// options lists every key, in the order in which they are shown.
func options() []option {
	return []option{
		{backend.Option{Name: "url", Help: "base URLs of the servers, with commas between them: http://host:8000 or https://host/v1"}, (*settings).readURLs},
		{backend.Option{Name: "model", Help: "the model's name at the server (default: the only one it has)"}, func(s *settings, v string) error {
			s.model = v
			return nil
		}},
		{backend.Option{Name: "server", Default: "auto", Help: "what the servers are: auto (ask), " + strings.Join(kindNames(), ", ")}, func(s *settings, v string) (err error) {
			if v != "auto" {
				s.kind, err = findKind(v)
				s.kindGiven = true
			}
			return err
		}},
		{backend.Option{Name: "api", Default: "auto", Help: "auto (what fits the prompt), completions or chat"},
			choose(func(s *settings) *api { return &s.api }, map[string]api{"auto": anyAPI, "completions": completions, "chat": chat})},
		{backend.Option{Name: "count", Default: "auto", Help: "what tokens are counted by: ids, logprobs, usage, or auto (the best that the server reports)"},
			choose(func(s *settings) *count { return &s.count }, map[string]count{"auto": anyCount, "ids": countIDs, "logprobs": countLogged, "usage": countByUsage})},
		{backend.Option{Name: "concurrency", Default: strconv.Itoa(defaultPlaces), Help: "most requests at a time to each server; more wait here"},
			number(func(s *settings) *int { return &s.places }, 1, 1<<20)},
		{backend.Option{Name: "key_env", Default: defaultKeyName, Help: "environment variable that holds the API key"}, func(s *settings, v string) error {
			s.keyName = v
			return nil
		}},
		{backend.Option{Name: "ca", Help: "PEM file of the authority that signed the servers' certificates (default: the system's)"}, func(s *settings, v string) error {
			s.ca = v
			return nil
		}},
		{backend.Option{Name: "insecure", Default: "false", Help: "true: accept any certificate"},
			choose(func(s *settings) *bool { return &s.insecure }, map[string]bool{"false": false, "true": true})},
		{backend.Option{Name: "connect_timeout", Default: defaultConnect.String(), Help: "longest time to connect"}, duration(func(s *settings) *time.Duration { return &s.connect })},
		{backend.Option{Name: "first_timeout", Default: defaultFirst.String(), Help: "longest wait for the first part of an answer"}, duration(func(s *settings) *time.Duration { return &s.first })},
		{backend.Option{Name: "idle_timeout", Default: defaultIdle.String(), Help: "longest wait for a further part"}, duration(func(s *settings) *time.Duration { return &s.idle })},
		{backend.Option{Name: "timeout", Default: "none", Help: "longest time for a whole answer"}, duration(func(s *settings) *time.Duration { return &s.total })},
		{backend.Option{Name: "retries", Default: strconv.Itoa(defaultRetries), Help: "how often to ask again where nothing was received"},
			number(func(s *settings) *int { return &s.retries }, 0, 1000)},
		{backend.Option{Name: "on_failure", Default: "end", Help: "after an answer is cut short: end (the run), or continue (ask another server from the start)"},
			choose(func(s *settings) *bool { return &s.goesOn }, map[string]bool{"end": false, "continue": true})},
		{backend.Option{Name: "prefix_cache", Default: "off", Help: "prompts kept between queries, against the rules: off (one that a server reports ends the run), report (count them) or allow"},
			choose(func(s *settings) *cachePolicy { return &s.cache }, map[string]cachePolicy{"off": cacheOff, "report": cacheReport, "allow": cacheAllow})},
		{backend.Option{Name: bodyPrefix + "KEY", Help: "a field of each request, as JSON or else as text"}, nil},
	}
}

// readSettings reads the options, or returns one error that lists every fault.
func readSettings(given map[string]string) (settings, error) {
	s := settings{
		places: defaultPlaces, keyName: defaultKeyName, connect: defaultConnect, first: defaultFirst, idle: defaultIdle,
		retries: defaultRetries, body: map[string]json.RawMessage{},
	}
	known := options()
	var faults []error
	for _, key := range slices.Sorted(maps.Keys(given)) {
		if err := s.set(known, key, given[key]); err != nil {
			faults = append(faults, err)
		}
	}
	if len(s.endpoints) == 0 && given["url"] == "" {
		faults = append(faults, errors.New("option url: want the address of a server, such as http://localhost:8000"))
	}
	if len(faults) > 0 {
		return s, fmt.Errorf("%w: %w", backend.ErrOption, errors.Join(faults...))
	}
	return s, nil
}

func (s *settings) set(known []option, key, value string) error {
	if name, ok := strings.CutPrefix(key, bodyPrefix); ok && name != "" {
		s.body[name] = asJSON(value)
		return nil
	}
	for _, o := range known {
		if o.Name != key || o.read == nil {
			continue
		}
		err := o.read(s, value)
		switch {
		case err == nil:
			return nil
		case key == "url": // may hold a password
			return fmt.Errorf("option url: %w", err)
		}
		return fmt.Errorf("option %s=%s: %w", key, value, err)
	}
	names := make([]string, len(known))
	for i, o := range known {
		names[i] = o.Name
	}
	return fmt.Errorf("unknown option %q; the known ones are %s", key, strings.Join(names, ", "))
}

// asJSON returns a value that is JSON as it is, and any other as a string.
func asJSON(value string) json.RawMessage {
	if json.Valid([]byte(value)) {
		return json.RawMessage(value)
	}
	text, err := json.Marshal(value)
	if err != nil { // not for strings
		return json.RawMessage("null")
	}
	return text
}

// readURLs reads base URLs; the path of each ends in the version of the API.
func (s *settings) readURLs(value string) error {
	var faults []error
	for text := range strings.SplitSeq(value, ",") {
		u, err := url.Parse(strings.TrimSpace(text))
		switch {
		case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
			faults = append(faults, fmt.Errorf("%q, want http://HOST:PORT or https://HOST/PATH", withoutSecrets(text)))
		case u.User != nil || u.RawQuery != "" || u.Fragment != "":
			faults = append(faults, fmt.Errorf("%q, want it without a user and without what follows ? or #: option key_env names the "+
				"environment variable with an API key", withoutSecrets(text)))
		default:
			if u.Path = strings.TrimSuffix(u.Path, "/"); u.Path == "" {
				u.Path = "/v1"
			}
			s.endpoints = append(s.endpoints, u)
		}
	}
	return errors.Join(faults...)
}

// withoutSecrets leaves out of a URL, which may not be one, what stands before its host, and the query.
func withoutSecrets(text string) string {
	head, tail := text, ""
	if at := strings.IndexAny(text, "?#"); at >= 0 {
		head, tail = text[:at], text[at:]
	}
	if strings.Contains(tail, "@") { // of a password, or of the query
		return "..."
	}
	if at := strings.LastIndexByte(head, '@'); at >= 0 {
		return "..." + head[at:]
	}
	return head
}

func choose[T any](field func(*settings) *T, values map[string]T) func(*settings, string) error {
	return func(s *settings, value string) error {
		v, ok := values[value]
		if !ok {
			return fmt.Errorf("want one of %s", strings.Join(slices.Sorted(maps.Keys(values)), ", "))
		}
		*field(s) = v
		return nil
	}
}

func number(field func(*settings) *int, low, high int) func(*settings, string) error {
	return func(s *settings, value string) error {
		n, err := strconv.Atoi(value)
		if err != nil || n < low || n > high {
			return fmt.Errorf("want a number from %d to %d", low, high)
		}
		*field(s) = n
		return nil
	}
}

func duration(field func(*settings) *time.Duration) func(*settings, string) error {
	return func(s *settings, value string) error {
		if value == "none" {
			*field(s) = 0
			return nil
		}
		d, err := time.ParseDuration(value)
		if err != nil || d <= 0 {
			return errors.New("want a time above 0 such as 30s, or none")
		}
		*field(s) = d
		return nil
	}
}
