// Package page makes reports of runs: an HTML page that needs no other file and no network, and a text for terminals.
// Text from results is escaped and never becomes markup.
package page
