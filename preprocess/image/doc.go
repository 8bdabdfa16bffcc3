// Package image turns picture files into the tensors that vision benchmarks feed their models.
//
// In: bytes of a JPEG, PNG or BMP file. Out: a caller's []float32, in NCHW or NHWC layout, equal to what the reference
// implementations of the benchmarks (compatible with MLPerf Inference) compute with OpenCV, Pillow and torchvision.
// Pictures decode as cv2.imread decodes them with its default flags: three 8-bit channels, EXIF orientation applied,
// alpha dropped, grey, palette, 16-bit and CMYK pictures converted. Channel order here is RGB throughout.
//
// The package does no I/O, starts no goroutine and keeps no global state. Every function is safe for concurrent use.
package image
