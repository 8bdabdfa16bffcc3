// Package articles writes the project's own news articles and their summaries, so that the text-generation benchmark
// needs no file and no download.
//
// An article describes one event. The person, the place, the time and two numbers are distributed over sentences in any
// order, in wordings that differ from the summary's, between sentences with other names, places, days and numbers. The
// first sentence never contains a fact of the summary, so a summary that consists of the leading sentences scores low.
//
// An article depends only on the seed of its set and on its index, and its bytes are the same on every machine.
// Training, calibration and evaluation sets have different seeds.
//
// In scope: English text of about 100 words, summaries of three sentences. Out of scope: prompts and tokens (the
// models).
package articles
