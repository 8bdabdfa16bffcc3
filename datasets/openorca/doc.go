// Package openorca reads the sample of OpenOrca that the Llama 2 70B benchmark asks, compatible with MLPerf Inference.
// The official file is a Python pickle, open_orca_gpt4_tokenized_llama.sampled_24576.pkl, which
// datasets/convert/convert.py turns into JSONL; JSON and Parquet with the same columns are read as well.
//
// In: finding and checking texts and token ids.
// Out: prompts and tokenizers, which are the model's; scoring.
package openorca
