// Package prompts reads the data sets of language models: tables of texts, token ids and references, in the layouts of
// the benchmarks compatible with MLPerf Inference. A [PromptFormat] is one such layout.
//
// Three of the official files are Python pickles; datasets/convert/convert.py turns them into JSONL. The package reads
// JSON, JSONL and Parquet files with the same columns and any name.
//
// In scope: finding and checking texts, token ids and the names of tasks. Out of scope: templates and tokenizers (the
// model); scoring.
package prompts
