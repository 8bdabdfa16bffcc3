// Package published tries the submission tools on whole rounds that were published: make test-published. Its tests need
// copies of the rounds' repositories and are skipped without them; what they expect names nobody.
package published
