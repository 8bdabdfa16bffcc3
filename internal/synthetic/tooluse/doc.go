// Package tooluse generates the embedded data of benchmarks that call tools: questions answered by function calls, in
// all subsets of the single-turn part of the Berkeley Function-Calling Leaderboard, and conversations of an agent that
// works in a shell. Each call generates the same data.
//
// In scope: questions, functions, right calls and recorded turns, as rows of the official layouts. Out of scope:
// reading those layouts (datasets/bfcl, datasets/conversations), answers with faults (the stand-in of plugins/agentic).
package tooluse
