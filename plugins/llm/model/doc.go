// Package model holds the embedded model: a small decoder that is trained to summarise the articles of package
// datasets/synthetic/articles, its tokenizer and its card. README.md says how it was made.
package model
