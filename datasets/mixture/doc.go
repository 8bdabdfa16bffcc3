// Package mixture reads the mixture of OpenOrca, GSM8K and MBXP that the Mixtral 8x7B benchmark has, compatible with
// MLPerf Inference. The official file is a Python pickle, 09292024_mixtral_15k_mintoken2_v1.pkl, which
// datasets/convert/convert.py turns into JSONL; JSON and Parquet with the same columns are read as well.
//
// In: finding and checking texts, token ids and the names of data sets.
// Out: tokenizers; scoring.
package mixture
