// Package datasets has no code of its own. Each folder below it reads a data set in its official layout.
//
//   - imagenet, coco (with OpenImages), coco2014, products and waymo contain pictures
//   - kits19 and brats contain volumes
//   - squad, prompts, conversations, bfcl, livecodebench and frames contain text
//   - librispeech contains speech
//   - criteo, streaming, igbh and graph are for recommendation and graphs
//
// Open checks a whole data set and reports all faults at once, such as missing files, wrong sizes and damaged labels.
// Samples are read when they are needed, in bounded memory. The comment of each package shows the layout of the folder.
//
// The command harness fetch downloads official files, package preprocess prepares samples, and package accuracy scores
// answers.
package datasets
