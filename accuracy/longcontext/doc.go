// Package longcontext scores answers to tasks with long contexts, equal to the official script for Llama 3.1 405B:
// summaries by ROUGE-L, and what was to be found in the context by exact match.
//
// In: payloads of an accuracy log, the tokenizer, and of each sample the reference and which of the metrics it has.
// Out: reading logs, data sets and tokenizers (the caller).
package longcontext
