// Package mathgrade checks whether two mathematical answers are equal, like PRM800K's grader in the official scripts of
// DeepSeek-R1 and gpt-oss-120b. It compares two normal forms of their LaTeX, their structure, and their algebra.
//
// In scope: two texts, and an Algebra: this package's OwnAlgebra, or one that calls SymPy. Out of scope: finding the
// answer in a model's output (package extract), and starting processes.
package mathgrade
