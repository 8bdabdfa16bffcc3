// Package plot draws the charts of runs, by gonum/plot: as SVG whose colours are those of the page around it, light or
// dark, as SVG that stands alone, and as PNG.
package plot
