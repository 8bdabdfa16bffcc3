// Package openaitest is a server that speaks the OpenAI-compatible API, for tests and measurements: it streams tokens
// that depend on the prompt alone, at a pace of its own, and fails on request.
//
// In: completions, chats and responses as streams or in one piece, with token ids, log probabilities, usage, reasoning,
// tool calls; replies by rules; embeddings and rerank; transcripts; pace, places, a cache of prompts, metrics under
// vLLM's names, limits and faults; listeners in memory. Out: models; TLS and sockets (net/http/httptest and net/http).
package openaitest
