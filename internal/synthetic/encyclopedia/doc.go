// Package encyclopedia generates small encyclopedias of made-up people, towns and feasts, with questions whose answers
// need two pages. It is the data set of the embedded retrieval benchmarks.
//
// A page contains up to a dozen sentences, and sometimes a chronicle, and links to other pages. A question such as "Who
// was the mother of the mayor of X?" names one page, and that page names the page with the answer. The page with the
// answer contains no name from the question, so a single search finds it only by chance.
//
// A world depends only on its seed. Two seeds share only parts of names, so a model trained on one world has not seen
// the pages of another.
//
// In scope: pages as HTML and as the expected text, questions ([World]), facts read back from texts ([Facts],
// [Understand]). Out of scope: reading pages and questions from files, passages, tokens, training.
package encyclopedia
