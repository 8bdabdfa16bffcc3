// Package questions writes the project's own data for question answering: short passages about people, towns and firms
// that never were, and questions whose answers are parts of them: names, places, dates, counts, titles.
//
// A passage tells the same things of several subjects, so that only who is who, and not the kind of the answer, leads
// to the right one; subjects may share a surname, and a sentence may call its subject "he", "she" or "it". One passage
// in 25 is longer than the 384 tokens that a model sees at once.
//
// A passage depends on the seed of its set and its index alone.
//
// In: passages, questions and answers ([Set]). Out: tokens and features.
package questions
