// Package subword reads GNMT's vocabularies, one token per line, and applies byte-pair encoding like subword-nmt, with
// "@@" on pieces inside a word.
//
// In scope: the bytes of those files, and lines of text. Out of scope: Moses' tokenization (the official files are
// tokenized), and byte-pair encoding of language models (package bpe).
package subword

import "errors"

// Errors of this package; errors.Is finds them.
var (
	ErrCodes      = errors.New("merges of byte-pair encoding")
	ErrVocabulary = errors.New("vocabulary")
)

// continuationMark is the suffix of a piece that does not end its word.
const continuationMark = "@@"
