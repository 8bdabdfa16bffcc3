// Package longcontext reads the tasks with long contexts that the Llama 3.1 405B benchmark has, compatible with MLPerf
// Inference. The official file is a Python pickle, mlperf_llama3.1_405b_dataset_8313_processed_fp16_eval.pkl, which
// datasets/convert/convert.py turns into JSONL; JSON and Parquet with the same columns are read as well.
//
// In: finding and checking texts, token ids and the names of metrics.
// Out: tokenizers; scoring.
package longcontext
