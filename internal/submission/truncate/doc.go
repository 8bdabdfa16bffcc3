// Package truncate shortens accuracy logs for a submission. It writes the sha256 of the whole log to accuracy.txt,
// moves the whole log to a Store outside the tree, and leaves the log's head and tail.
//
//	store, err := truncate.OpenStore(ctx, keep)
//	defer store.Close()
//	outcome, err := store.Log(ctx, "closed/Lab/results/sys/resnet50/Offline/accuracy")
//
// Each file is replaced as a whole, and the original is saved before any change. If the process is interrupted, run it
// again; finished logs are skipped. Package official/truncate reproduces the official tool with its peculiarities.
//
// In scope: finding logs, hashes, cutting, saving. Out of scope: the contents of a log, comparing its hash with a
// result.
package truncate
