// Package prompts reads the data sets of language models: tables of texts, ids of tokens and what answers are compared
// with, in the layouts of the benchmarks compatible with MLPerf Inference. A [PromptFormat] is one of them.
//
// Three of the official files are Python pickles, which datasets/convert/convert.py turns into JSONL; JSON, JSONL and
// Parquet with the same columns are read, whatever the file's name.
//
// In: finding and checking texts, token ids and the names of tasks. Out: templates and tokenizers, which are the
// model's; scoring.
package prompts
