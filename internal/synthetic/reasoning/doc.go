// Package reasoning writes the project's own questions with worked answers, so that the reasoning benchmarks run with
// no file and no download. They have the five kinds of the official sets:
//
//	aime           word problems of two steps, answered by an integer from 0 to 999
//	math500        fractions, powers, roots, expressions, points, intervals
//	gpqa           four lettered options, with the facts in the question
//	mmlu_pro       ten lettered options
//	livecodebench  small programs, by standard input or by a method, with their tests
//
// A worked answer is a thought and what is said at its end. The thought goes digit by digit, so that a small network
// can follow it. One kind of fraction has its truth in another form than the worked answer, which the official graders
// call wrong.
//
// A sample depends on the seed of its set and its index alone, and its bytes are the same on every machine. No question
// of an evaluation set is in one for training or calibration.
//
// In: questions, worked answers, truths, problems with tests in the official form. Out: prompts, which are the models'
// own, and grading.
package reasoning
