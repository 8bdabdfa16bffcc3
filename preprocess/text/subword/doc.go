// Package subword reads the vocabularies and pieces of neural translation in GNMT's files: one token a line, and
// byte-pair encoding as subword-nmt applies it, with "@@" on pieces inside a word.
//
// In: the bytes of those files, and lines of text. Out: Moses' tokenization (the official files are tokenized), and
// byte-pair encoding of language models (package bpe).
package subword

import "errors"

// Errors of this package, found with errors.Is.
var (
	ErrCodes      = errors.New("merges of byte-pair encoding")
	ErrVocabulary = errors.New("vocabulary")
)

// mark stands behind a piece whose word goes on.
const mark = "@@"
