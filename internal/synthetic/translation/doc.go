// Package translation generates sentences in two made-up languages, so that the translation benchmark needs no file and
// no download.
//
// One language follows the rules of English, the other those of German: genders and cases, endings of adjectives, the
// verb in second place or after a conjunction in last place, separable prefixes, "nicht", numbers with the ones first.
// Words are made of syllables. Some words have two translations, and the gender of a noun or the number of an object
// determines the right one. For other words the sentence does not determine it, as in real languages, so no translator
// can get all of them right. Names are copied; half of them occur in a single sentence.
//
// A sentence depends only on the seed of its set and on its index, and its bytes are the same on every machine.
// Training and evaluation sets have different seeds and one lexicon.
//
// In scope: pairs of sentences, cut into words as Moses does it. Out of scope: pieces of words (the models).
package translation
