package pointpainting

import (
	"encoding/binary"
	"math"

	"github.com/plumbline-ml/plumbline/datasets/waymo"
)

// projectedCamera is the camera into whose picture boxes are projected. The reference projects into all pictures and
// keeps the last result.
const projectedCamera = waymo.Cameras - 1

// encodePayload returns a frame's payload. It contains a row of 14 little-endian float32 values for each box:
// dimensions (length, height, width), location and angle in the coordinate system of camera 0, the box in the picture
// of camera 4 (left, top, right, bottom), class, score and image number. If there are no boxes, the payload is one row
// of thirteen -1 and the image number. The result is valid until the next call.
func (b *frameBoxes) encodePayload(f *waymo.Frame) []byte {
	b.bytes = b.bytes[:0]
	image := float32(f.Image)
	if len(b.found) == 0 {
		for range 13 {
			b.appendFloats(-1)
		}
		b.appendFloats(image)
		return b.bytes
	}
	main := multiplyMatrices(&f.Calibration.R0, &f.Calibration.Tr[0])
	last := multiplyMatrices(&f.Calibration.R0, &f.Calibration.Tr[projectedCamera])
	for i := range b.found {
		found := &b.found[i]
		b.appendFloats(found.length, found.height, found.width)
		location := applyMatrix(&main, found.x, found.y, found.z)
		b.appendFloats(location[0], location[1], location[2], found.angle)
		box := found.projectBox(&last, &f.Calibration.P[projectedCamera], f.Shapes[projectedCamera])
		b.appendFloats(box[:]...)
		b.appendFloats(float32(found.class), found.score, image)
	}
	return b.bytes
}

func (b *frameBoxes) appendFloats(values ...float32) {
	for _, v := range values {
		b.bytes = binary.LittleEndian.AppendUint32(b.bytes, math.Float32bits(v))
	}
}

// projectBox returns the bounding box of the projected corners, clipped to the picture. Points behind the camera are
// projected as if they were in front of it.
func (b *lidarBox) projectBox(camera, p *waymo.Matrix, s waymo.PictureShape) [4]float32 {
	middle := applyMatrix(camera, b.x, b.y, b.z)
	sin, cos := float32(math.Sin(float64(b.angle))), float32(math.Cos(float64(b.angle)))
	var low, high [2]float32
	for corner := range 8 {
		x, y, z := b.length/2, float32(0), b.width/2
		if corner&1 != 0 {
			x = -x
		}
		if corner&2 != 0 {
			y = -b.height
		}
		if corner&4 != 0 {
			z = -z
		}
		at := applyMatrix(p, x*cos+z*sin+middle[0], y+middle[1], z*cos-x*sin+middle[2])
		for k := range low {
			v := at[k] / at[2]
			if corner == 0 {
				low[k], high[k] = v, v
			}
			low[k], high[k] = min(low[k], v), max(high[k], v)
		}
	}
	return [4]float32{
		max(low[0], 0), max(low[1], 0), min(high[0], float32(s.Width)), min(high[1], float32(s.Height)),
	}
}

// multiplyMatrices returns the product a*b, which applies b first.
func multiplyMatrices(a, b *waymo.Matrix) (m waymo.Matrix) {
	for row := range 4 {
		for column := range 4 {
			for k := range 4 {
				m[4*row+column] += a[4*row+k] * b[4*k+column]
			}
		}
	}
	return m
}

// applyMatrix returns the first three values of the product of a matrix and (x, y, z, 1).
func applyMatrix(m *waymo.Matrix, x, y, z float32) (v [3]float32) {
	for k := range v {
		v[k] = m[4*k]*x + m[4*k+1]*y + m[4*k+2]*z + m[4*k+3]
	}
	return v
}
