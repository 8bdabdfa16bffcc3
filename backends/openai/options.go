package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// openaiSettings contains the parsed values of backend.Config.Options.
type openaiSettings struct {
	endpoints  []*url.URL
	model      string
	kind       *serverKind // kind of server; nil: determined from the server's answers
	kindGiven  bool
	api        APIPart // anyAPI, Chat, Completions or native
	count      countMode
	places     int           // maximum number of concurrent requests per endpoint
	maxIdle    time.Duration // maximum idle time of a connection
	keyName    string
	ca         string
	insecure   bool
	connect    time.Duration
	first      time.Duration
	idle       time.Duration
	total      time.Duration
	retries    int
	continues  bool // continue with the other endpoints if one fails
	cache      cachePolicy
	special    specialPolicy
	body       map[string]json.RawMessage
	unstreamed bool // answers are unstreamed
}

// countMode is the method of counting tokens.
type countMode uint8

const (
	anyCount     countMode = iota // the best method that the server supports
	countIDs                      // by token ids, which the answers must contain
	countLogged                   // by log probabilities
	countByUsage                  // by the usage record; ids are dropped
)

// cachePolicy is the treatment of prompts that a server caches between queries.
type cachePolicy uint8

const (
	cacheOff    cachePolicy = iota // disable the cache; a reported cached prompt ends the run
	cacheReport                    // disable the cache; reported cached prompts are counted
	cacheAllow                     // neither disable nor observe the cache
)

// specialPolicy determines when servers are asked to include the text of special tokens (skip_special_tokens).
type specialPolicy uint8

const (
	specialWhereHidden specialPolicy = iota // if tokens are visible only as text, and the server supports it
	specialShown                            // always
	specialUnasked                          // never
)

// The defaults of the options.
const (
	defaultPlaces  = 1024
	defaultKeyName = "OPENAI_API_KEY"
	defaultConnect = 5 * time.Second
	defaultFirst   = 10 * time.Minute
	defaultIdle    = time.Minute
	defaultRetries = 5
)

// defaultSettings returns the settings without any option.
func defaultSettings() openaiSettings {
	return openaiSettings{
		places: defaultPlaces, keyName: defaultKeyName, connect: defaultConnect, first: defaultFirst, idle: defaultIdle,
		retries: defaultRetries, body: map[string]json.RawMessage{}, maxIdle: 90 * time.Second,
	}
}

// optionList returns the options, which write to s.
func (s *openaiSettings) optionList() option.List {
	wait := func(name string, to *time.Duration, help string) option.Option {
		shown := "none"
		if *to > 0 {
			shown = to.String()
		}
		return option.OrWord("none", to, option.Duration(name, to, help)).WithDefault(shown)
	}
	return option.List{
		option.Func("url", "", "base URLs of the servers, with commas between them: http://host:8000 or https://host/v1",
			s.readURLs).AsSecret(),
		option.Text("model", &s.model, "the model's name at the server (default: its only model)"),
		option.Func("server", "auto", "kind of the servers: auto (query them), "+strings.Join(kindNames(), ", "+
			""), s.readServer),
		option.Choice("api", &s.api,
			map[string]APIPart{"auto": anyAPI, "completions": Completions, "chat": Chat, "sglang": nativeAPI},
			"auto (the API that fits the prompt), completions, chat, or sglang (SGLang's own /generate, with token ids)"),
		option.Choice("stream", &s.unstreamed, map[string]bool{"true": false, "false": true},
			"false: answers of api=sglang come in one piece, so the first token has the time of the last"),
		option.Choice("count", &s.count,
			map[string]countMode{"auto": anyCount, "ids": countIDs, "logprobs": countLogged, "usage": countByUsage},
			"source of token counts: ids, logprobs, usage, or auto (the best that the server reports)"),
		option.Int("concurrency", &s.places, 1, 1<<20, "maximum requests in flight to each server; the others wait at the "+
			"client"),
		option.Text("key_env", &s.keyName, "environment variable with the API key"),
		option.Text("ca", &s.ca, "PEM file of the authority that signed the servers' certificates (default: the system's)"),
		option.Bool("insecure", &s.insecure, "true: accept any certificate"),
		wait("connect_timeout", &s.connect, "maximum time to connect"),
		wait("first_timeout", &s.first, "maximum wait for the first part of an answer"),
		wait("idle_timeout", &s.idle, "maximum wait for each further part"),
		wait("timeout", &s.total, "maximum time for a whole answer"),
		option.Int("retries", &s.retries, 0, 1000, "number of retries if nothing was received"),
		option.Choice("on_failure", &s.continues, map[string]bool{"end": false, "continue": true},
			"after an incomplete answer: end (the run), or continue (restart at another server)"),
		option.Choice("prefix_cache", &s.cache,
			map[string]cachePolicy{"off": cacheOff, "report": cacheReport, "allow": cacheAllow},
			"cached prompts of earlier queries, which the rules forbid: off (a hit reported by a server ends the run), "+
				"report (count hits) or allow"),
		option.Choice("skip_special_tokens", &s.special,
			map[string]specialPolicy{"auto": specialWhereHidden, "false": specialShown, "unsent": specialUnasked},
			"value of this field, which makes servers send the text of special tokens: false, unsent, or auto (false if only "+
				"text shows the time of the first token and the kind of server supports the field)"),
		option.Prefix("body.", "KEY", "a field of each request, as JSON or text", func(name, value string) error {
			s.body[name] = asJSON(value)
			return nil
		}),
	}
}

func (s *openaiSettings) readServer(value string) (err error) {
	if value != "auto" {
		s.kind, err = findKind(value)
		s.kindGiven = true
	}
	return err
}

// readSettings parses the options. The error lists every fault.
func readSettings(given map[string]string) (openaiSettings, error) {
	s := defaultSettings()
	err := s.optionList().Read(given)
	err = errors.Join(err, s.checkCombinations())
	if given["url"] == "" {
		err = errors.Join(err, errors.New("option url: want the address of a server, such as http://localhost:8000"))
	}
	if err != nil {
		return s, fmt.Errorf("%w: %w", backend.ErrOption, err)
	}
	return s, nil
}

// checkCombinations lists options that cannot be combined.
func (s *openaiSettings) checkCombinations() error {
	var faults []error
	switch {
	case s.api != nativeAPI && s.unstreamed:
		faults = append(faults, errors.New("option stream=false: answers of OpenAI's API come as streams, want api=sglang"))
	case s.api != nativeAPI:
	case s.count == countLogged || s.count == countByUsage:
		faults = append(faults, errors.New("option count: answers of api=sglang are counted by ids"))
	}
	if k := s.kind; s.api == nativeAPI && k != nil && !k.maybeNative() {
		faults = append(faults, fmt.Errorf("option server=%s: api=sglang is asked of SGLang alone", k.name))
	}
	for _, name := range []string{"input_ids", "sampling_params", "stream"} {
		if s.api == nativeAPI && s.body[name] != nil {
			faults = append(faults, fmt.Errorf("option body.%s: the backend sets it; sampling parameters have names of their "+
				"own, such as body.sampling_params.ignore_eos", name))
		}
	}
	return errors.Join(faults...)
}

// asJSON returns a value that is JSON unchanged, and any other value as a JSON string.
func asJSON(value string) json.RawMessage {
	if json.Valid([]byte(value)) {
		return json.RawMessage(value)
	}
	text, err := json.Marshal(value)
	if err != nil { // cannot happen for strings
		return json.RawMessage("null")
	}
	return text
}

// readURLs parses base URLs. The path of each ends in the version of the API.
func (s *openaiSettings) readURLs(value string) error {
	var faults []error
	for text := range strings.SplitSeq(value, ",") {
		u, err := url.Parse(strings.TrimSpace(text))
		switch {
		case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
			faults = append(faults, fmt.Errorf("%q, want http://HOST:PORT or https://HOST/PATH", withoutSecrets(text)))
		case u.User != nil || u.RawQuery != "" || u.Fragment != "":
			faults = append(faults, fmt.Errorf("%q, want it without a user and without what follows ? or #: option key_env "+
				"names the environment variable with an API key", withoutSecrets(text)))
		default:
			if u.Path = strings.TrimSuffix(u.Path, "/"); u.Path == "" {
				u.Path = "/v1"
			}
			s.endpoints = append(s.endpoints, u)
		}
	}
	return errors.Join(faults...)
}

// withoutSecrets removes the part before the host and the query from a URL, which may be malformed.
func withoutSecrets(text string) string {
	head, tail := text, ""
	if at := strings.IndexAny(text, "?#"); at >= 0 {
		head, tail = text[:at], text[at:]
	}
	if strings.Contains(tail, "@") { // part of a password or of the query
		return "..."
	}
	if at := strings.LastIndexByte(head, '@'); at >= 0 {
		return "..." + head[at:]
	}
	return head
}
