// Package translation makes sentences of two made-up languages, so that the translation benchmark needs no file and no
// download.
//
// The rules of one are English's, those of the other German's: genders and cases, endings of adjectives, the verb
// second, or last behind a conjunction, prefixes that leave their verb, "nicht", numbers with the ones first. Words
// are made of syllables. Some have two translations, of which the sentence says one: by the gender of a noun, or the
// number of an object. Some have two of which it says neither, as words of real languages do, so that no translator
// gets all of them right. Names are copied; half of them are made up for the one sentence.
//
// A sentence depends on the seed of its set and its index alone, and its bytes are the same on every machine. Training
// and evaluation sets have different seeds and one lexicon.
//
// In: pairs of sentences, cut into words as Moses does it. Out: pieces of words (the models).
package translation
