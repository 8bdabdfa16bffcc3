// Package replay scores models in recorded conversations of agents (qwen3.6-27b): whether a turn calls the same
// programs as the recorded one, or names the expected intent. The scores equal those of the endpoints harness.
//
// In scope: recorded turns, and answers to them. Out of scope: reading recordings, sending turns.
package replay
