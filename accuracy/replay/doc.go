// Package replay scores models in recorded conversations of agents (qwen3.6-27b): whether a turn calls the programs
// that the recorded one called, or names the intent that it should. Scores equal the endpoints harness's.
//
// In: recorded turns, and answers to them. Out: reading recordings, sending turns.
package replay
