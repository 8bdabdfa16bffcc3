// Package questions writes the project's own data for question answering: short passages about fictional people, towns
// and firms, and questions whose answers (names, places, dates, counts, titles) are parts of the passages.
//
// A passage states the same kinds of facts about several subjects, so the kind of the answer does not reveal it; a
// model must identify the subject. Subjects may share a surname, and a sentence may call its subject "he", "she" or
// "it". One passage in 25 is longer than the 384 tokens that a model reads at once.
//
// A passage depends only on the seed of its set and on its index.
//
// In scope: passages, questions and answers ([Set]). Out of scope: tokens and features.
package questions
