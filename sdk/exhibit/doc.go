// Package exhibit selects the worst samples of an accuracy log for inspection and renders them as small pictures with
// boxes and masks, or as texts side by side.
package exhibit
