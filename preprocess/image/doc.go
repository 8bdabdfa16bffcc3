// Package image converts picture files to the input tensors of vision models.
//
// Input: bytes of a JPEG, PNG or BMP file. Output: a caller's []float32 in NCHW or NHWC layout. It equals the tensor
// that the reference implementations of MLPerf Inference's benchmarks compute with OpenCV, Pillow and torchvision.
// Pictures are decoded like cv2.imread with its default flags: three 8-bit channels, EXIF orientation applied, alpha
// dropped, and grey, palette, 16-bit and CMYK pictures converted. The channel order is always RGB.
//
// The package does no I/O, starts no goroutine and keeps no global state. Every function is safe for concurrent use.
package image
