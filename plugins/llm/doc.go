// Package llm is the text-generation benchmark.
package llm
