package openai

import (
	"fmt"
	"strings"
)

// serverKind describes the features of a kind of server that are not part of the common API.
type serverKind struct {
	name     string
	tokenIDs []requestField // fields that request token ids
	// loggedIDs means that log probabilities include token ids. The fields idsByLogprobs request them.
	loggedIDs     bool
	idsByLogprobs []requestField
	// minTokens and stopIDs are the names of the fields for the minimum number of tokens and for the ids of end tokens;
	// "": none.
	minTokens, stopIDs string
	ignoresEnd         bool   // supports ignore_eos, with which an answer continues to its maximum number of tokens
	beams              bool   // supports beam search with use_beam_search
	salt               string // field whose value, new in each request, separates prompts in the server's cache
	saltsChats         bool   // only chats support that field; other requests with it are refused
	greedy             []requestField
	everyToken         string // value of top_k with which all tokens can be drawn; "": top_k is not supported
	noCache            []requestField
	// showsSpecial means that the server supports skip_special_tokens; without it, answers omit the text of special
	// tokens.
	showsSpecial   bool
	maxTokens      string // name of the field for the maximum number of tokens in chats
	versionPath    string // path, outside of the API, of the version and other facts
	clearCachePath string // path of the call that clears the prompt cache
	owner          string // owned_by in the list of models, or header field Server
}

// requestField is a field of a request. Its value is JSON.
type requestField struct{ name, value string }

// serverKinds returns the kinds of servers, according to the documentation of vLLM 0.11, SGLang 0.5, TensorRT-LLM 1.0
// and llama.cpp's server.
func serverKinds() []*serverKind {
	return []*serverKind{
		{
			name: "vllm", owner: "vllm", versionPath: "/version", clearCachePath: "/reset_prefix_cache",
			minTokens: "min_tokens", stopIDs: "stop_token_ids", beams: true, salt: "cache_salt",
			showsSpecial: true, ignoresEnd: true, everyToken: "-1",
			tokenIDs:      []requestField{{"return_token_ids", "true"}},
			loggedIDs:     true,
			idsByLogprobs: []requestField{{"return_tokens_as_token_ids", "true"}},
		},
		{name: "sglang", owner: "sglang", versionPath: "/get_server_info", clearCachePath: "/flush_cache",
			minTokens: "min_tokens", stopIDs: "stop_token_ids",
			salt: "cache_salt", showsSpecial: true, ignoresEnd: true, everyToken: "-1"},
		{name: "trtllm", owner: "tensorrt_llm", versionPath: "/version", minTokens: "min_tokens",
			stopIDs: "stop_token_ids", beams: true, salt: "cache_salt",
			saltsChats: true, greedy: []requestField{{"top_k", "1"}}, showsSpecial: true, ignoresEnd: true,
			everyToken: "0"},
		{name: "llamacpp", owner: "llamacpp", versionPath: "/props", noCache: []requestField{{"cache_prompt", "false"}},
			loggedIDs: true, ignoresEnd: true, everyToken: "0"},
		{name: "openai", owner: "openai", maxTokens: "max_completion_tokens"},
		{name: "other"},
	}
}

// maybeNative reports whether the server may have /generate: SGLang and servers of an unknown kind.
func (k *serverKind) maybeNative() bool { return k.name == "sglang" || k.name == "other" }

func kindNames() []string {
	all := serverKinds()
	names := make([]string, len(all))
	for i, k := range all {
		names[i] = k.name
	}
	return names
}

func findKind(name string) (*serverKind, error) {
	for _, k := range serverKinds() {
		if k.name == name {
			return k, nil
		}
	}
	return nil, fmt.Errorf("want auto or one of %s", strings.Join(kindNames(), ", "))
}

// kindOfOwner returns the kind of server with the given owner of models, or "other".
func kindOfOwner(owner string) *serverKind {
	all := serverKinds()
	for _, k := range all {
		if k.owner != "" && strings.Contains(strings.ToLower(owner), k.owner) {
			return k
		}
	}
	return all[len(all)-1]
}
