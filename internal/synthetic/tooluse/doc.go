// Package tooluse makes the embedded data of benchmarks that call tools: questions that calls of functions answer, in
// all subsets of the Berkeley Function-Calling Leaderboard's single-turn part, and conversations of an agent that works
// in a shell. Both are made up, and the same at each call.
//
// In: questions, functions, right calls and recorded turns, as rows of the official layouts. Out: reading those layouts
// (datasets/bfcl, datasets/conversations), answers with faults (the stand-in of plugins/agentic).
package tooluse
