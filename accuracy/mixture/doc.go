// Package mixture scores answers to a mixture of three data sets, equal to the official script for Mixtral 8x7B:
// summaries of OpenOrca by ROUGE, and word problems of GSM8K by the number that the answer gives. Of the programs of
// MBXP it returns the source that the official script would run.
//
// In: payloads of an accuracy log, the tokenizer, and of each sample the data set, its id there and the reference.
// Out: running programs. That takes the toolchains of six languages and a sandbox, so there is no mbxp figure: the
// programs in a Result are for mxeval, which the official script uses.
package mixture
