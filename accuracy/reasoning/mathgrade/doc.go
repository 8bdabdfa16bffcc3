// Package mathgrade checks whether two answers of mathematics are equal, as PRM800K's grader does for the official
// scripts of DeepSeek-R1 and gpt-oss-120b: by two normal forms of their LaTeX, by their shape, and by algebra.
//
// In: two texts, and an Algebra: OwnAlgebra, of this package, or one that asks SymPy. Out: finding the answer in what a
// model wrote (package extract), and starting processes.
package mathgrade
