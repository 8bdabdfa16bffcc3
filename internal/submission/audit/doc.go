// Package audit judges the compliance tests of a submission: TEST01 and TEST04 to TEST09.
//
// An audit is a performance run with its own settings ([ConfigOf]). [Verify] compares its logs with those of the
// submission's runs and judges them. [Write] writes the verdict and the logs in the layout of a submission.
//
//	config, err := audit.ConfigOf(rules, "TEST01", "resnet")          // what to run with
//	verdict, err := audit.Verify(ctx, audit.Request{Test: "TEST01", Rules: rules, Model: "resnet",
//		Reference: audit.ResultLogs("results/sys/resnet50/Offline"), Run: audit.RunLogs("run")})
//	err = audit.Write(verdict, "results/sys/resnet50/Offline")
//
// Cases that the official scripts pass without a check, such as empty logs or a run without audit settings, fail with
// reasons. Package official/audits has the verdicts, texts and exit codes of the scripts.
//
// In scope: logs, settings, verdicts. Out of scope: running an audit; whether a whole submission is complete (package
// check).
package audit
