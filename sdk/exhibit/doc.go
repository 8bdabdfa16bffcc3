// Package exhibit selects the worst samples of an accuracy log for people to look at, and draws them: small pictures
// with boxes and masks, and texts side by side.
package exhibit
