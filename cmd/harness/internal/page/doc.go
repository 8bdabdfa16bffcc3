// Package page makes reports of runs: a page of HTML that needs no other file and no network, and a text for terminals.
// All text of a result stays text there and never becomes markup.
package page
