// Package plot draws the charts of runs: as SVG in the colours of the surrounding page, light or dark, as standalone
// SVG, and as PNG.
//
// A Chart contains the data in the units of the measurement. The layout converts it to a scene of paths and texts with
// fixed positions, in which no text overlaps another or leaves the picture. The SVG and PNG writers draw the scene
// unchanged.
package plot
