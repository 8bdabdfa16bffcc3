// Package encyclopedia draws small encyclopedias of made-up people, towns and feasts, and questions that two pages
// answer together: the data set of the embedded retrieval benchmarks.
//
// A page contains up to a dozen sentences, or also a chronicle; it names other pages and links to them. A question
// names one page, and that page names the one with the answer: "Who was the mother of the mayor of X?". The page with
// the answer names nothing that the question does, so that one search finds it by chance alone.
//
// A world depends on its seed alone, and no two seeds share more than parts of names: a model that was trained on one
// has not seen the pages of another.
//
// In: pages as HTML and as the text that is to be read of them, questions ([World]), facts read back from texts
// ([Facts], [Understand]). Out: reading pages and questions from files, passages, tokens, training.
package encyclopedia
