// Package llm is the text-generation benchmark: summaries and answers by language models, greedy or with beams, with the
// latencies of tokens.
//
// A model file in ONNX form, with its past, runs on any backend by package generate's decoding; a backend that generates
// by itself (a server) needs no model file.
//
// In: prompts' forms, limits of answers, payloads and metrics of GPT-J, Llama 2 70B, Llama 3.1 8B and 405B, and
// Mixtral 8x7B, compatible with MLPerf Inference. Out: decoding, which package generate does; tokenizers, data sets and
// scorers, which have packages of their own; running the programs of MBXP.
package llm
