package dice

import (
	"encoding/binary"
	"math/bits"
)

// classes is the number of scored classes: kidney and tumour.
const classes = 2

// voxelOverlap counts the voxels of each class that are labelled, predicted, and both.
type voxelOverlap struct {
	both, predicted, labelled [classes]int
}

// diceOf returns the coefficient of a class. It is 1 if neither volume contains the class, because a term prevents 0 /
// 0.
func (o *voxelOverlap) diceOf(class int) float64 {
	const epsilon = 1e-6
	both, sum := float64(o.both[class]), float64(o.predicted[class]+o.labelled[class])
	return (2*both + epsilon) / (sum + epsilon)
}

// Masks for a word of eight voxels, one per byte.
const (
	lowBits     = 0x0101010101010101
	highBits    = 0x0202020202020202
	invalidBits = 0xfcfcfcfcfcfcfcfc // set in no class
)

// validClasses reports whether all eight voxels are 0, 1 or 2. Bit 0 of a valid voxel then means kidney and bit 1
// tumour.
func validClasses(w uint64) bool { return w&invalidBits == 0 && w&(w>>1)&lowBits == 0 }

// addVoxels counts the voxels of two slices of equal length. It returns the index of the first voxel that is not a
// class, or -1.
func (o *voxelOverlap) addVoxels(predicted, labelled []byte) int {
	n := len(predicted) &^ 7
	for i := 0; i < n; i += 8 {
		p, l := binary.LittleEndian.Uint64(predicted[i:]), binary.LittleEndian.Uint64(labelled[i:])
		if !validClasses(p) || !validClasses(l) {
			return i + findInvalid(predicted[i:i+8], labelled[i:i+8])
		}
		o.addWord(p, l)
	}
	var p, l [8]byte
	copy(p[:], predicted[n:])
	copy(l[:], labelled[n:])
	if place := findInvalid(p[:], l[:]); place >= 0 {
		return n + place
	}
	o.addWord(binary.LittleEndian.Uint64(p[:]), binary.LittleEndian.Uint64(l[:]))
	return -1
}

func (o *voxelOverlap) addWord(p, l uint64) {
	for c, mask := range [classes]uint64{lowBits, highBits} {
		o.both[c] += bits.OnesCount64(p & l & mask)
		o.predicted[c] += bits.OnesCount64(p & mask)
		o.labelled[c] += bits.OnesCount64(l & mask)
	}
}

func findInvalid(predicted, labelled []byte) int {
	for i := range predicted {
		if predicted[i] > classes || labelled[i] > classes {
			return i
		}
	}
	return -1
}
