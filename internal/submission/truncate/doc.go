// Package truncate shortens accuracy logs for a submission: the sha256 of the whole log goes into accuracy.txt, the
// whole log into a Store outside the tree, and the log keeps its head and tail.
//
//	store, err := truncate.OpenStore(ctx, keep)
//	defer store.Close()
//	outcome, err := store.Log(ctx, "closed/Lab/results/sys/resnet50/Offline/accuracy")
//
// Nothing is ever half done: each file is replaced whole, the original is kept before anything changes, and who is
// stopped in the middle runs it again. A log that is done stays as it is. Package
// official/truncate does as the official tool does, with all its ways.
//
// In: which logs there are, hashes, cutting, keeping. Out: what a log says, whether its hash suits a result.
package truncate
