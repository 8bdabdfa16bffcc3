package nifti

import "encoding/binary"

// tile is the side of the squares of voxels that are transposed at once, with eight one-byte voxels in a 64-bit word.
const tile = 8

// copyBytes returns a planeWriter for one-byte voxels that are the values, 0 to maxClass.
func copyBytes(maxClass uint8) planeWriter[uint8] {
	return func(h *VolumeHeader, out []uint8, block []byte, k, n int) error {
		if !allWithinClasses(block, maxClass) {
			return classRangeError(h, block, k, n, maxClass)
		}
		rows, across := h.Shape[0]/tile*tile, n/tile*tile
		for j := range h.Shape[1] {
			for i := 0; i < rows; i += tile {
				for place := 0; place < across; place += tile {
					writeTile(h, out, block, i, j, k, place)
				}
			}
			writeUntiled(h, out, block, j, k, n, rows, across)
		}
		return nil
	}
}

// allWithinClasses reports whether no byte exceeds maxClass.
func allWithinClasses(block []byte, maxClass uint8) bool {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	if maxClass > 127 {
		return !anyAboveClasses(block, maxClass)
	}
	room := uint64(127-maxClass) * ones // adding this sets the high bit of a byte above maxClass
	var seen uint64
	for ; len(block) >= 8; block = block[8:] {
		v := binary.LittleEndian.Uint64(block)
		seen |= v | (v&^high + room)
	}
	return seen&high == 0 && !anyAboveClasses(block, maxClass)
}

func anyAboveClasses(block []byte, maxClass uint8) bool {
	for _, v := range block {
		if v > maxClass {
			return true
		}
	}
	return false
}

// classRangeError returns an error that names the first byte above maxClass.
func classRangeError(h *VolumeHeader, block []byte, k, n int, maxClass uint8) error {
	plane := h.Shape[0] * h.Shape[1]
	for at := range plane {
		for place := range n {
			if v := block[place*plane+at]; v > maxClass {
				return classError(at%h.Shape[0], at/h.Shape[0], k+place, float64(v))
			}
		}
	}
	return nil
}

// writeTile writes the voxels from (i, j, k+place) to tile-1 further along the first and the last axis. It writes
// nothing if all are 0, because out is 0 already and background fills large parts of a volume.
func writeTile(h *VolumeHeader, out []uint8, block []byte, i, j, k, place int) {
	var words [tile]uint64 // each of eight voxels along the first axis
	plane, from := h.Shape[0]*h.Shape[1], j*h.Shape[0]+i
	var some uint64
	for p := range words {
		words[p] = binary.LittleEndian.Uint64(block[(place+p)*plane+from:])
		some |= words[p]
	}
	if some == 0 {
		return
	}
	transposeTile(&words)
	for p, w := range words {
		binary.LittleEndian.PutUint64(out[((i+p)*h.Shape[1]+j)*h.Shape[2]+k+place:], w)
	}
}

// transposeTile transposes 8 x 8 bytes by swapping squares of 1, 2 and 4 bytes a side across the diagonal.
func transposeTile(w *[tile]uint64) {
	for _, step := range [...]struct {
		rows int
		mask uint64
	}{{1, 0x00FF00FF00FF00FF}, {2, 0x0000FFFF0000FFFF}, {4, 0x00000000FFFFFFFF}} {
		shift := 8 * step.rows
		for a := range tile {
			if a&step.rows != 0 {
				continue
			}
			b := a + step.rows
			low, high := w[a], w[b]
			w[a] = low&step.mask | high&step.mask<<shift
			w[b] = low>>shift&step.mask | high&^step.mask
		}
	}
}

// writeUntiled writes the voxels outside of tiles: those from rows on along the first axis, and those from plane across
// on.
func writeUntiled(h *VolumeHeader, out []uint8, block []byte, j, k, n, rows, across int) {
	plane := h.Shape[0] * h.Shape[1]
	for i := range h.Shape[0] {
		run := out[(i*h.Shape[1]+j)*h.Shape[2]+k:][:n]
		from := across
		if i >= rows {
			from = 0
		}
		for place := from; place < n; place++ {
			run[place] = block[place*plane+j*h.Shape[0]+i]
		}
	}
}
