// Package punkt splits text into sentences with the Punkt method (T. Kiss and J. Strunk, "Unsupervised Multilingual
// Sentence Boundary Detection", 2006), equal to nltk 3.10's sent_tokenize with the same parameters: the scorers of
// summaries put a line feed between sentences before they compute ROUGE-Lsum.
//
// In: text, and the parameters of a language: those that nltk distributes as punkt_tab, or a small set of English
// abbreviations that is part of this package.
// Out: learning parameters from a corpus.
package punkt
