// Package articles writes the project's own news articles and their summaries, so that the text-generation benchmark
// runs with no file and no download.
//
// An article describes one event. Who, where, when and two numbers are spread over sentences in any order, in wordings
// that the summary does not use, between sentences with other names, places, days and numbers. The first sentence never
// holds a fact of the summary: a summary of leading sentences scores low.
//
// An article depends on the seed of its set and its index alone, and its bytes are the same on every machine. Training,
// calibration and evaluation sets have different seeds.
//
// In: English text of about 100 words, summaries of three sentences. Out: prompts and tokens (the models).
package articles
