// Package plot draws the charts of runs: as SVG whose colours are those of the page around it, light or dark, as SVG
// that stands alone, and as PNG.
//
// A Chart says what is shown, in the units of what was measured. A layout makes a scene of it, of paths and texts whose
// places are decided: no text covers another one or leaves the picture, whatever the chart. Writers of SVG and PNG put
// the scene down as it is.
package plot
