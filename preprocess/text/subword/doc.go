// Package subword has the words and pieces of neural translation as GNMT's files have them: vocabularies of one token
// a line, and byte-pair encoding as subword-nmt applies it, whose pieces carry "@@" where a word goes on.
//
// In: the bytes of those files, and lines of text. Out: tokenizing of Moses, which the official files have behind them;
// byte-pair encoding of language models, which package bpe does.
package subword

import "errors"

// Errors of this package, found with errors.Is.
var (
	ErrCodes      = errors.New("merges of byte-pair encoding")
	ErrVocabulary = errors.New("vocabulary")
)

// mark stands behind a piece whose word goes on.
const mark = "@@"
