// Package openaitest is a server that speaks the OpenAI-compatible completion API, for tests and measurements: it
// streams tokens that depend on the prompt alone, at a pace of its own, and fails where it is told to.
//
// In: completions and chats as streams of server-sent events, token ids, log probabilities, usage; pace, limits and
// faults. Out: models; answers in one piece; TLS and sockets, which net/http/httptest and net/http have.
package openaitest
