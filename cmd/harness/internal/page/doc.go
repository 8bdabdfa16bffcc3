// Package page creates reports of runs: a self-contained HTML page that needs no network, and a text for terminals. It
// escapes text from results, which never becomes markup.
package page
