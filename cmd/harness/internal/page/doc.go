// Package page makes reports of runs: a page of HTML that needs no other file and no network, and a text for terminals.
// Whatever a result says is text there, and never markup.
package page
