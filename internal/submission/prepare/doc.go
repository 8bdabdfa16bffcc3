// Package prepare completes a submission's tree: it copies results to scenarios that the rules allow to infer, and
// those of a high accuracy target to the low one.
//
//	plan, err := prepare.Read(found, rules, "")    // what is to be copied, and why
//	err = plan.Do(ctx, root)                            // in the tree itself
//	plan, err = prepare.Tree(ctx, root, new, options)   // in a new one
//
// Nothing is judged, removed or moved to another division; the official tool does all of that, and package
// official/prepare does as it does.
//
// In: which results may be inferred, copies, a new tree. Out: judging a tree (package check), making one of runs
// (package assemble).
package prepare
