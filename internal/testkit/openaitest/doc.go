// Package openaitest is a server with the OpenAI-compatible API, for tests and measurements. It streams tokens that
// depend only on the prompt, at a configured speed, and fails on request.
//
// In scope: completions, chats and responses as streams or in one piece, with token ids, log probabilities, usage,
// reasoning and tool calls; replies by rules; embeddings and rerank; transcripts; speed, slots, a prompt cache, metrics
// under vLLM's names, limits and faults; listeners in memory. Out of scope: models; TLS and sockets (net/http/httptest
// and net/http).
package openaitest
