package openaitest

import (
	"cmp"
	"encoding/json"
	"hash/fnv"
	"strings"
)

// api is an endpoint of the API.
type api uint8

const (
	completions api = iota
	chat
	responses
	embeddings
	rerank
	native // SGLang's /generate
)

// Request is a client's request to any endpoint.
type Request struct {
	Model     string
	Prompt    json.RawMessage
	Messages  json.RawMessage
	Input     json.RawMessage
	Query     string
	Documents []json.RawMessage
	Tools     []json.RawMessage
	MaxTokens int  `json:"max_tokens"`
	MaxNew    int  `json:"max_completion_tokens"`
	MaxOutput int  `json:"max_output_tokens"`
	MinTokens int  `json:"min_tokens"`
	IgnoreEnd bool `json:"ignore_eos"`
	Stream    bool
	Body      json.RawMessage `json:"-"` // complete body, for Options.Reply
	ReturnIDs bool            `json:"return_token_ids"`
	Logprobs  json.RawMessage `json:"logprobs"`
	Salt      string          `json:"cache_salt"`
	Skip      *bool           `json:"skip_special_tokens"`
	Usage     struct {
		Include bool `json:"include_usage"`
	} `json:"stream_options"`
	// InputIDs and Params are fields of /generate, which also uses Prompt and MaxTokens.
	InputIDs json.RawMessage `json:"input_ids"`
	Params   struct {
		MaxTokens int  `json:"max_new_tokens"`
		MinTokens int  `json:"min_new_tokens"`
		IgnoreEnd bool `json:"ignore_eos"`
	} `json:"sampling_params"`
}

// defaultTokens is the number of tokens of an answer without a limit.
const defaultTokens = 16

// answerLength returns the number of tokens of an answer.
func (s *Server) answerLength(ask *Request) int {
	o := &s.options
	n := cmp.Or(max(ask.MaxTokens, ask.MaxNew, ask.MaxOutput), defaultTokens)
	if o.EndsAt > 0 && !ask.IgnoreEnd {
		n = min(n, max(o.EndsAt, ask.MinTokens))
	}
	if o.Tokens > 0 {
		n = min(n, o.Tokens)
	}
	if says := s.givenTokens(ask); says != nil {
		n = min(n, len(says))
	}
	return n + o.Extra
}

// givenTokens returns the tokens of the answer to a request, if they are specified.
func (s *Server) givenTokens(ask *Request) []int32 {
	if s.options.Answer != nil {
		return s.options.Answer(ask)
	}
	return s.options.AnswerTokens
}

// promptOf returns the tokens of a prompt as numbers. Equal tokens have equal numbers.
func (s *Server) promptOf(ask *Request, of api) (tokens []uint64) {
	switch of {
	case chat:
		return s.appendTexts(tokens, ask.Messages, s.options.Template)
	case responses:
		return s.appendTexts(tokens, ask.Input, s.options.Template)
	case completions, native:
		return s.appendTexts(tokens, ask.Prompt, 0)
	case embeddings:
		return s.appendTexts(tokens, ask.Input, 0)
	}
	for _, d := range ask.Documents {
		tokens = s.appendTexts(s.appendWords(tokens, ask.Query), d, 0)
	}
	return tokens
}

// appendTexts appends the tokens of ids, of a text, or of all texts within another value, preceded by template tokens.
func (s *Server) appendTexts(tokens []uint64, part json.RawMessage, template int) []uint64 {
	for i := range template {
		tokens = append(tokens, uint64(i)<<32)
	}
	var ids []int32
	if len(part) > 0 && part[0] == '[' && json.Unmarshal(part, &ids) == nil {
		for _, id := range ids {
			tokens = append(tokens, uint64(id))
		}
		return tokens
	}
	var value any
	if json.Unmarshal(part, &value) == nil {
		for _, text := range appendTexts(nil, value) {
			tokens = s.appendWords(tokens, text)
		}
	}
	return tokens
}

// appendWords appends the tokens of a text; Options.Words counts them.
func (s *Server) appendWords(tokens []uint64, text string) []uint64 {
	words := strings.Fields(text)
	for i := range s.options.Words(text) {
		h := fnv.New64a()
		if i < len(words) {
			h.Write([]byte(words[i]))
		}
		tokens = append(tokens, h.Sum64()|1<<63)
	}
	return tokens
}
