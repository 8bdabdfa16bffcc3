// Package openai is a backend for servers that speak the OpenAI-compatible completion API and stream their
// answers: vLLM, SGLang, TensorRT-LLM, llama.cpp and others. It is a backend.GeneratorOpener: the server owns
// batching and the KV cache, this package asks, keeps the time of the first token and of the answer, and counts
// what the server says it generated.
//
// Prompts of audio go to /v1/audio/transcriptions, as WAV files: transcripts come as a stream, vLLM's or OpenAI's, or
// in one piece. They are counted by the server's usage record.
//
// The option api=sglang uses SGLang's own /generate instead, with token ids as prompts and answers.
//
// For measurements of servers themselves there is Client, which asks one request at a time by any of five APIs, once,
// and tells an Observer each event with its time.
//
// In: choosing among endpoints, waiting for a free place, asking again where nothing was received, TLS and API keys,
// servers that fail in any way; asking servers not to keep prompts between queries, and noticing those that do. Out:
// tokenizers and prompt templates; starting servers. The package reads no environment: its caller hands keys over.
//
// Tokens are never counted from chunks of text, which hold any number of tokens: their number is that of the ids that
// the server reports, of its log probabilities, or of its usage record, and a server that reports none of these is an
// error. The ids include the end token where the server reports it.
package openai
