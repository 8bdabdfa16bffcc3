package openai

import (
	"fmt"
	"strings"
)

// serverKind is what a kind of server understands beyond the API that all have in common.
type serverKind struct {
	name     string
	tokenIDs []requestField // make it report token ids
	// loggedIDs tells whether log probabilities come with token ids, for which idsByLogprobs asks.
	loggedIDs     bool
	idsByLogprobs []requestField
	// minTokens and stopIDs are its names for the fewest tokens, and for the ids of end tokens; "": it has none.
	minTokens, stopIDs string
	ignoresEnd         bool   // it has ignore_eos, with which an answer goes on until its most tokens
	beams              bool   // beam search, by use_beam_search
	salt               string // a field whose value, new in each request, keeps prompts apart in its cache
	saltsChats         bool   // only chats have that field; other requests with it are refused
	greedy             []requestField
	everyToken         string // its value of top_k with which all tokens can be drawn; "": it has no top_k
	noCache            []requestField
	// showsSpecial tells whether it has skip_special_tokens, without which the text of special tokens is left out.
	showsSpecial bool
	maxTokens    string // its name for the most tokens in chats
	tellsAt      string // where it tells the version of its program and more, beside the API
	forgetsAt    string // where it drops what it keeps of prompts
	owner        string // what its list of models says in owned_by, or its header Server
}

// requestField is a field of a request, its value as JSON.
type requestField struct{ name, value string }

// serverKinds are what the documentation of vLLM 0.11, SGLang 0.5, TensorRT-LLM 1.0 and llama.cpp's server says.
func serverKinds() []*serverKind {
	return []*serverKind{
		{
			name: "vllm", owner: "vllm", tellsAt: "/version", forgetsAt: "/reset_prefix_cache",
			minTokens: "min_tokens", stopIDs: "stop_token_ids", beams: true, salt: "cache_salt",
			showsSpecial: true, ignoresEnd: true, everyToken: "-1",
			tokenIDs:      []requestField{{"return_token_ids", "true"}},
			loggedIDs:     true,
			idsByLogprobs: []requestField{{"return_tokens_as_token_ids", "true"}},
		},
		{name: "sglang", owner: "sglang", tellsAt: "/get_server_info", forgetsAt: "/flush_cache",
			minTokens: "min_tokens", stopIDs: "stop_token_ids",
			salt: "cache_salt", showsSpecial: true, ignoresEnd: true, everyToken: "-1"},
		{name: "trtllm", owner: "tensorrt_llm", tellsAt: "/version", minTokens: "min_tokens",
			stopIDs: "stop_token_ids", beams: true, salt: "cache_salt",
			saltsChats: true, greedy: []requestField{{"top_k", "1"}}, showsSpecial: true, ignoresEnd: true,
			everyToken: "0"},
		{name: "llamacpp", owner: "llamacpp", tellsAt: "/props", noCache: []requestField{{"cache_prompt", "false"}},
			loggedIDs: true, ignoresEnd: true, everyToken: "0"},
		{name: "openai", owner: "openai", maxTokens: "max_completion_tokens"},
		{name: "other"},
	}
}

// maybeNative tells whether it may have /generate: SGLang, or what does not say what it is.
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

// ownedBy finds the kind of server that says so of its models, or "other".
func ownedBy(owner string) *serverKind {
	all := serverKinds()
	for _, k := range all {
		if k.owner != "" && strings.Contains(strings.ToLower(owner), k.owner) {
			return k
		}
	}
	return all[len(all)-1]
}
