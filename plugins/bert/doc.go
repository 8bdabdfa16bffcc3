// Package bert is the question-answering benchmark.
package bert
