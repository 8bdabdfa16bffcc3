// Package exhibit chooses the samples of an accuracy log that people should look at, the worst, and draws them: small
// pictures with boxes and masks, and texts side by side.
package exhibit
