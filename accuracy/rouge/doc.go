// Package rouge compares a text with a reference text: ROUGE-1, ROUGE-2, ROUGE-L and ROUGE-Lsum (C.-Y. Lin, "ROUGE: A
// Package for Automatic Evaluation of Summaries", 2004). The results equal those of rouge-score 0.1.2 with its default
// tokenizer.
//
// In scope: a reference and a prediction; for ROUGE-Lsum, line feeds separate their sentences. Out of scope: splitting
// text into sentences, and the means over a data set (package generation).
package rouge
