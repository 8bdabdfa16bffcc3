// Package punkt splits text into sentences with the Punkt method (T. Kiss and J. Strunk, "Unsupervised Multilingual
// Sentence Boundary Detection", 2006), equal to nltk 3.10's sent_tokenize with the same parameters. The scorers of
// summaries insert a line feed between sentences before they compute ROUGE-Lsum.
//
// In scope: text, and the parameters of a language, either nltk's punkt_tab or this package's small set of English
// abbreviations. Out of scope: learning parameters from a corpus.
package punkt
