// Package openai is a backend for servers that speak the OpenAI-compatible completion API and stream their answers:
// vLLM, SGLang, TensorRT-LLM, llama.cpp and others. It is a backend.GeneratorOpener. The server owns batching and the
// KV cache; this package sends the requests, records the times of the first token and of the answer, and counts the
// tokens that the server reports.
//
// Audio prompts go to /v1/audio/transcriptions as WAV files. A transcript arrives as a stream in vLLM's or OpenAI's
// form, or in one piece; its tokens are counted by the server's usage record.
//
// The option api=sglang uses SGLang's own /generate instead, with token ids as prompts and answers.
//
// For measurements of servers, Client sends one request at a time through any of five APIs, without retries, and
// reports each event with its time to an Observer.
//
// In scope: choosing among endpoints, waiting for a free slot, retrying if nothing was received, TLS and API keys,
// failures of servers of any kind; disabling the servers' prompt cache between queries, and detecting servers that
// still use it. Out of scope: tokenizers and prompt templates; starting servers. The package does not read the
// environment; its caller provides keys.
//
// Tokens are never counted from chunks of text, since a chunk may contain any number of tokens. The count comes from
// the ids, the log probabilities or the usage record that the server reports. A server that reports none of these
// causes an error. The ids include the end token if the server reports it.
package openai
