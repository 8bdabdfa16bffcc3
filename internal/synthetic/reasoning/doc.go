// Package reasoning writes the project's own questions with worked answers, so that the reasoning benchmarks need no
// file and no download. They have the five kinds of the official sets:
//
//	aime           word problems of two steps, answered by an integer from 0 to 999
//	math500        fractions, powers, roots, expressions, points, intervals
//	gpqa           four lettered options, with the facts in the question
//	mmlu_pro       ten lettered options
//	livecodebench  small programs, by standard input or by a method, with their tests
//
// A worked answer consists of a thought and a conclusion. The thought proceeds digit by digit, so that a small network
// can learn it. For one kind of fraction the reference has another form than the worked answer, and the official
// graders reject the answer.
//
// A sample depends only on the seed of its set and on its index, and its bytes are the same on every machine. No
// question of an evaluation set is in one for training or calibration.
//
// In scope: questions, worked answers, truths, problems with tests in the official form. Out of scope: prompts (the
// models), and grading.
package reasoning
