// Package prepare completes a submission's tree. It copies results to scenarios for which the rules allow inference,
// and results of a high accuracy target to the low target.
//
//	plan, err := prepare.Read(found, rules, "")    // what is to be copied, and why
//	err = plan.Do(ctx, root)                            // in the tree itself
//	plan, err = prepare.Tree(ctx, root, new, options)   // in a new one
//
// It does not judge, remove or move results to another division. The official tool does all three, and package
// official/prepare reproduces it.
//
// In scope: the choice of results to infer, copies, a new tree. Out of scope: judging a tree (package check), making a
// tree from runs (package assemble).
package prepare
