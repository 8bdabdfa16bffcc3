// Package longcontext scores answers to tasks with long contexts: summaries by ROUGE-L, and facts retrieved from the
// context by exact match. The results equal those of the official script for Llama 3.1 405B.
//
// In scope: payloads of an accuracy log, the tokenizer, and the reference and metric of each sample. Out of scope:
// reading logs, data sets and tokenizers (the caller).
package longcontext
