// Package texttoimage holds the test that takes text to image from captions to scores: plugins/sdxl knows no backend,
// here its networks run on ONNX Runtime.
package texttoimage
